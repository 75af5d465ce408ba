#!/bin/sh
# SPDX-License-Identifier: MIT
# What must not compile does not, and the same with the right type does.
#
#   refused.sh SOURCE COMPILER LANGUAGE
set -eu
include=$1/include
cc=$2
std=$3
command -v "$cc" >/dev/null || { echo "skipped: no $cc"; exit 77; }
case $std in *++*) lang=c++ ;; *) lang=c ;; esac

# compiles TYPE STATEMENT [FLAG]: with T *h, and T v.
compiles() {
	"$cc" -x $lang -std="$std" ${3:+"$3"} -I"$include" -c -o /dev/null - \
		2>/dev/null <<END
#include <percpu/percpu.h>
struct three { char c[3]; };
struct sixteen { char c[16]; };
typedef $1 T;
void f(T PERCPU *h, T v);
void f(T PERCPU *h, T v) { (void)v; $2; }
END
}

right() {
	compiles "$@" || { echo "does not compile: $*"; exit 1; }
}

wrong() {
	! compiles "$@" || { echo "compiles: $*"; exit 1; }
}

right 'uint64_t' '(void)percpu_read(h)'
wrong 'struct three' '(void)percpu_read(h)'
wrong 'struct sixteen' '(void)percpu_read(h)'
right 'uint64_t' 'percpu_write(h, v)'
wrong 'struct three' 'percpu_write(h, v)'
for op in 'percpu_add(h, v)' 'percpu_sub(h, v)' 'percpu_inc(h)' 'percpu_dec(h)' \
	'percpu_and(h, v)' 'percpu_or(h, v)' 'percpu_xor(h, v)' \
	'(void)percpu_sum(h)' '(void)percpu_add_return(h, v)'; do
	right 'uint64_t' "$op"
	right 'signed char' "$op"
	wrong 'double' "$op"
	wrong 'struct sixteen' "$op"
	case $std in
	c++*) wrong 'bool' "$op" ;;
	*) wrong '_Bool' "$op" ;;
	esac
done
for op in 'percpu_write(h, v)' '(void)percpu_xchg(h, v)' \
	'(void)percpu_cmpxchg(h, v, v)' '(void)percpu_try_cmpxchg(h, &v, v)'; do
	right 'double' "$op"
	wrong 'struct three' "$op"
	wrong 'struct sixteen' "$op"
done
wrong 'uint64_t' '{ uint32_t n = 0; (void)percpu_try_cmpxchg(h, &n, v); }' -Werror
wrong 'uint64_t' '(void)percpu_try_cmpxchg(h, v, v)' -Werror
right 'uint64_t' 'percpu_add_all(h, v, h, v, h, v)'
right 'uint64_t' 'percpu_add_block(h, 1, v)'
tree='static struct percpu_counter_tree t = PERCPU_COUNTER_TREE_INITIALIZER'
right 'int' "$tree(-1, 2); percpu_counter_tree_inc(&t)"
right 'int' "$tree(-1, 1u << 31); percpu_counter_tree_inc(&t)"
for batch in 0 1 3 '(1ul << 32)'; do
	wrong 'int' "$tree(-1, $batch); percpu_counter_tree_inc(&t)"
done
for args in '' 'h' 'h, 1, h' 'h,1,h,1,h,1,h,1,h,1,h,1,h,1,h,1,h,1'; do
	wrong 'uint64_t' "percpu_add_all($args)"
done
for args in 'h' 'h, 1' 'h, 1, 2, 3' 'h,1,2,3,4,5' 'h,1,2,3,4,5,6,7,8,9'; do
	wrong 'uint64_t' "percpu_add_block($args)"
done
wrong 'uint32_t' 'percpu_add_block(h, 1, v)'
wrong 'double' 'percpu_add_block(h, 1, v)'
wrong 'double' 'percpu_add_all(h, 1, h, v)'
right 'double' 'percpu_write(h, v)'
right 'double' '*percpu_ptr(h, 0) = v'
right 'struct sixteen' '*percpu_ptr(h, 0) = v'
case $cc in
clang*)
	right 'uint64_t' '*h = v'
	wrong 'uint64_t' '*h = v' -DPERCPU_CHECK
	right 'uint64_t' '*percpu_ptr(h, 0) = v' -DPERCPU_CHECK
	right 'uint64_t' 'percpu_add(h, v)' -DPERCPU_CHECK
	;;
esac
# The address space of an array is not to be taken away: no wrong pointer.
right '__typeof__(int[2])' '(*percpu_ptr(h, 0))[1] = 1'
case $cc in
clang) wrong '__typeof__(int[2])' '(*percpu_ptr(h, 0))[1] = 1' -DPERCPU_CHECK ;;
esac
