from jax._src.lib import xla_client
options = xla_client.CompileOptions().SerializeAsString()
print([p in options for p in (b'algsimp', b'scatter_determinism_expander')])
