# SPDX-License-Identifier: MIT
"""torchaudio: spectrograms, resampling, filters, and a loss with a kernel of its own, CUDA against CPU."""
# packages: torch torchaudio
import torch
import torchaudio

torch.manual_seed(0)
wave = torch.randn(2, 8000)


def check(name, function, *inputs):
    torch.testing.assert_close(function("cuda", *(t.cuda() for t in inputs)).cpu(), function("cpu", *inputs), rtol=1e-3, atol=1e-3)
    print(name, "right", flush=True)


check("mel spectrogram", lambda d, w: torchaudio.transforms.MelSpectrogram(8000, n_fft=256, n_mels=20).to(d)(w), wave)
check("resample", lambda d, w: torchaudio.transforms.Resample(8000, 6000).to(d)(w), wave)
check("lfilter", lambda d, w: torchaudio.functional.lowpass_biquad(w, 8000, 1000), wave)
check("conformer", lambda d, w: torch.manual_seed(0) and torchaudio.models.Conformer(20, 4, 32, 1, 15).eval().to(d)(
    w[:, :800].reshape(2, 40, 20), torch.tensor([40, 30], device=d))[0], wave)
print("torchaudio right")
