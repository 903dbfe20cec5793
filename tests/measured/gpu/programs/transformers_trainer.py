# A small language model of transformers, trained by hand from random weights, unseeded.
import torch
try:
    from transformers import GPT2Config, GPT2LMHeadModel
except ImportError:
    raise SystemExit(77)
model = GPT2LMHeadModel(GPT2Config(vocab_size=512, n_positions=128, n_embd=128, n_layer=2, n_head=4)).cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for _ in range(8):
    tokens = torch.randint(0, 512, (8, 128), device="cuda")
    loss = model(tokens, labels=tokens).loss
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item().hex())
