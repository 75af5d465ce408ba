// SPDX-License-Identifier: MIT
// A test that is written in C, as C++.
#include TEST
