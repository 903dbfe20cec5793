// Values of NCCL_ALGO under which NCCL adds in one order.
//
// Rings add in the order of the ranks, CollNet in that of the switches. Trees have a shape for each channel,
// so they are such where the number of channels is pinned too: vLLM and SGLang choose allreduce:tree with
// NCCL_MIN_NCHANNELS equal to NCCL_MAX_NCHANNELS. Among several such algorithms NCCL chooses by message size
// and topology, which are those of the program and of the machine.
#pragma once

namespace detshim {

/// True if a user's value leaves nothing else. It is a list of algorithms, separated by commas; or such lists
/// separated by semicolons, each for a function whose name stands in front (allreduce:tree). Of exclusions
/// those stay that Megatron-LM accepts: ^NVLS and ^NVLS,NVLSTree.
bool is_one_order(const char* value);

/// True for the variables that take part in it, how many channels there are: their name, or an entry.
bool is_channel_limit(const char* text);

} // namespace detshim
