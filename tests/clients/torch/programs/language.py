# SPDX-License-Identifier: MIT
"""transformers: small GPT-2, Llama and BERT with random weights: logits, generated tokens and a Trainer's losses, CUDA against CPU."""
# packages: torch transformers accelerate
import os
import tempfile

os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_VERBOSITY="error")
import torch
from transformers import (BertConfig, BertForSequenceClassification, GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM, Trainer,
                          TrainingArguments)

SMALL = {"vocab_size": 96}


def make(kind):
    torch.manual_seed(0)
    if kind == "gpt2":
        return GPT2LMHeadModel(GPT2Config(**SMALL, n_positions=64, n_embd=32, n_layer=2, n_head=4, bos_token_id=1, eos_token_id=2))
    if kind == "llama":
        return LlamaForCausalLM(LlamaConfig(**SMALL, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
                                            num_key_value_heads=2, max_position_embeddings=64, pad_token_id=0))
    return BertForSequenceClassification(BertConfig(**SMALL, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64,
                                                    hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0))


tokens = torch.arange(24).reshape(2, 12) % 90 + 3
mask = torch.ones_like(tokens)
for kind in ("gpt2", "llama", "bert"):
    model = make(kind).eval()
    with torch.no_grad():
        expected = model(tokens, attention_mask=mask).logits
        words = model.generate(tokens, attention_mask=mask, max_new_tokens=8, do_sample=False, pad_token_id=0) if kind != "bert" else None
        model = model.cuda()
        torch.testing.assert_close(model(tokens.cuda(), attention_mask=mask.cuda()).logits.cpu(), expected, rtol=1e-3, atol=1e-4)
        if words is not None:
            assert torch.equal(model.generate(tokens.cuda(), attention_mask=mask.cuda(), max_new_tokens=8, do_sample=False, pad_token_id=0).cpu(), words)
            sampled = model.generate(tokens.cuda(), attention_mask=mask.cuda(), max_new_tokens=4, do_sample=True, pad_token_id=0)
            assert sampled.shape[1] >= 13
    print(kind, "right", flush=True)


class Examples(torch.utils.data.Dataset):
    def __len__(self):
        return 16

    def __getitem__(self, index):
        words = (torch.arange(12) * (index + 1)) % 90 + 3
        return {"input_ids": words, "attention_mask": torch.ones_like(words), "labels": torch.tensor(index % 2)}


def losses(cpu):
    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(folder, use_cpu=cpu, per_device_train_batch_size=4, num_train_epochs=2, logging_steps=1, report_to=[],
                                      save_strategy="no", seed=3, data_seed=3, learning_rate=1e-3, disable_tqdm=True)
        trainer = Trainer(make("bert"), arguments, train_dataset=Examples())
        trainer.train()
        return [line["loss"] for line in trainer.state.log_history if "loss" in line]


there, here = losses(False), losses(True)
assert len(here) == 8
torch.testing.assert_close(torch.tensor(there, dtype=torch.float64), torch.tensor(here, dtype=torch.float64), rtol=1e-2, atol=1e-3)
print("Trainer right")
