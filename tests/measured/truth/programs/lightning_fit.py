# Lightning: Trainer.fit with a DataLoader that shuffles, unseeded
import sys
import tempfile
import warnings

warnings.filterwarnings("ignore")
try:
    import lightning
    import torch
except ImportError:
    sys.exit(77)
import logging

logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


class Net(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.Dropout(0.1), torch.nn.Linear(16, 1))

    def training_step(self, batch, _):
        return self.net(batch[0]).pow(2).mean()

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters())


model = Net()
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(64, 8)), batch_size=8, shuffle=True)
with tempfile.TemporaryDirectory() as folder:
    trainer = lightning.Trainer(max_epochs=2, accelerator="cpu", logger=False, enable_checkpointing=False,
                                enable_progress_bar=False, enable_model_summary=False, default_root_dir=folder)
    trainer.fit(model, loader)
print([float(weight.sum()).hex() for weight in model.parameters()])
