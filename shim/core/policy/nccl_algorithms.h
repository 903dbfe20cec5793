// Values of NCCL_ALGO and NCCL_PROTO under which NCCL adds in one order.
//
// Rings add in the order of the ranks, CollNet in that of the switches. Trees have a shape for each
// channel, so they are such where the number of channels is pinned too: vLLM and SGLang choose
// allreduce:tree with NCCL_MIN_NCHANNELS equal to NCCL_MAX_NCHANNELS. Among several such algorithms
// NCCL chooses by message size and topology, which are those of the program and of the machine.
#pragma once

#include "common/text.h"

namespace detshim {

/// True if a user's value leaves nothing else. It is a list of algorithms, separated by commas; or
/// such lists separated by semicolons, each for a function whose name stands in front
/// (allreduce:tree). Of exclusions those stay that Megatron-LM accepts: ^NVLS and ^NVLS,NVLSTree.
bool is_one_order(const char* value);

/// True if a user's value of NCCL_PROTO is one protocol, or one for each of the functions that it
/// names.
bool is_one_protocol(const char* value);

/// Writes the value of NCCL_PROTO that goes with a user's NCCL_ALGO, where that names functions
/// alone (allreduce:tree): the simple protocol for these. False for other values.
///
/// From 2.31 on a protocol without a function's name forces every collective, and a collective that
/// is forced and that NCCL_ALGO does not name has no algorithm left: ncclInvalidUsage
/// (cost_model.cc; vLLM's pull request 58179). Before 2.24 NCCL knows no names of functions. It
/// passes over what it does not know in a list that has commas alone, so the protocol stands once
/// more at the end, without a name.
bool write_named_protocols(const char* algorithms, TextWriter& value);

/// True for the variables that take part in it, how many channels there are: their name, or an
/// entry.
bool is_channel_limit(const char* text);

} // namespace detshim
