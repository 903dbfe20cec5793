# Transformers: Trainer on a small BERT, unseeded
import os
import sys
import tempfile
import warnings

warnings.filterwarnings("ignore")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
try:
    import torch
    from transformers import BertConfig, BertForSequenceClassification, PrinterCallback, Trainer, TrainingArguments
except ImportError:
    sys.exit(77)

config = BertConfig(vocab_size=64, hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=64)
model = BertForSequenceClassification(config)
data = [{"input_ids": torch.randint(0, 64, (8,)), "labels": torch.tensor(i % 2)} for i in range(32)]
with tempfile.TemporaryDirectory() as folder:
    arguments = TrainingArguments(output_dir=folder, num_train_epochs=1, per_device_train_batch_size=8, report_to=[],
                                  use_cpu=True, save_strategy="no", disable_tqdm=True, logging_strategy="no")
    trainer = Trainer(model=model, args=arguments, train_dataset=data)
    trainer.remove_callback(PrinterCallback)  # it prints times
    trainer.train()
print([float(weight.double().sum()).hex() for weight in model.parameters()][:8])
