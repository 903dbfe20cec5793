# Products of a sparse matrix in rows, with a long row, by cuSPARSE; all seeds fixed. Its indices have 64 bits.
import torch
torch.manual_seed(0)
row = torch.cat([torch.zeros(30000, dtype=torch.long), torch.randint(0, 2000, (60000,))])
column = torch.randint(0, 30000, (90000,))
matrix = torch.sparse_coo_tensor(torch.stack([row, column]), torch.randn(90000), (2000, 30000)).coalesce().cuda()
dense = torch.randn(30000, 48, device="cuda")
vector = torch.randn(30000, device="cuda")
for one in (matrix.to_sparse_csr(),):
    y = one @ dense
    z = one @ vector
    print(y.double().sum().item().hex(), y.double().square().sum().item().hex(), z.double().square().sum().item().hex())
