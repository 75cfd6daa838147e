"""The exact floating-point remainder as an LLVM function, for machines without C's `fmod`.

PTX expands `frem` to a division, a truncation and a multiply-add, which is wrong for large
quotients. This is schoolbook long division on the significands: one bit of the quotient per
step, of which only the remainder is kept, so every step is exact.
"""

from __future__ import annotations

from string import Template

from mapal.ir.types import F32, Scalar

_TEXT = Template("""\
define internal $ty @$name($ty %x, $ty %y) nounwind {
entry:
  %bits_x = bitcast $ty %x to $int
  %bits_y = bitcast $ty %y to $int
  %a = and $int %bits_x, $magnitude
  %b = and $int %bits_y, $magnitude
  %sign = and $int %bits_x, $sign
  %no_divisor = icmp eq $int %b, 0
  %y_nan = icmp ugt $int %b, $infinity
  %x_unbounded = icmp uge $int %a, $infinity
  %invalid_y = or i1 %no_divisor, %y_nan
  %invalid = or i1 %invalid_y, %x_unbounded
  br i1 %invalid, label %undefined, label %finite
undefined:
  ret $ty 0x7FF8000000000000
finite:
  %smaller = icmp ult $int %a, %b
  br i1 %smaller, label %unchanged, label %divide
unchanged:
  ret $ty %x
divide:
  %stored_a = lshr $int %a, $fraction_bits
  %stored_b = lshr $int %b, $fraction_bits
  %tiny_a = icmp eq $int %stored_a, 0
  %tiny_b = icmp eq $int %stored_b, 0
  %low_a = and $int %a, $fraction
  %low_b = and $int %b, $fraction
  %full_a = or $int %low_a, $hidden
  %full_b = or $int %low_b, $hidden
  %zeros_a = call $int @llvm.ctlz.$int($int %a, i1 false)
  %zeros_b = call $int @llvm.ctlz.$int($int %b, i1 false)
  %up_a = sub $int %zeros_a, $leading
  %up_b = sub $int %zeros_b, $leading
  %shift_a = select i1 %tiny_a, $int %up_a, $int 0
  %shift_b = select i1 %tiny_b, $int %up_b, $int 0
  %moved_a = shl $int %low_a, %shift_a
  %moved_b = shl $int %low_b, %shift_b
  %significand_a = select i1 %tiny_a, $int %moved_a, $int %full_a
  %significand_b = select i1 %tiny_b, $int %moved_b, $int %full_b
  %below_a = sub $int 1, %shift_a
  %below_b = sub $int 1, %shift_b
  %exponent_a = select i1 %tiny_a, $int %below_a, $int %stored_a
  %exponent_b = select i1 %tiny_b, $int %below_b, $int %stored_b
  %steps = sub $int %exponent_a, %exponent_b
  br label %step
step:
  %left = phi $int [ %steps, %divide ], [ %fewer, %again ]
  %rest = phi $int [ %significand_a, %divide ], [ %doubled, %again ]
  %fits = icmp uge $int %rest, %significand_b
  %taken = sub $int %rest, %significand_b
  %reduced = select i1 %fits, $int %taken, $int %rest
  %more = icmp sgt $int %left, 0
  br i1 %more, label %again, label %pack
again:
  %doubled = shl $int %reduced, 1
  %fewer = sub $int %left, 1
  br label %step
pack:
  %zeros = call $int @llvm.ctlz.$int($int %reduced, i1 false)
  %up = sub $int %zeros, $leading
  %exponent = sub $int %exponent_b, %up
  %normal = icmp sge $int %exponent, 1
  %to_hidden = shl $int %reduced, %up
  %kept = and $int %to_hidden, $fraction
  %placed = shl $int %exponent, $fraction_bits
  %as_normal = or $int %kept, %placed
  %up_tiny = sub $int %exponent_b, 1
  %down_tiny = sub $int 1, %exponent_b
  %is_up = icmp sge $int %up_tiny, 0
  %left_tiny = select i1 %is_up, $int %up_tiny, $int 0
  %right_tiny = select i1 %is_up, $int 0, $int %down_tiny
  %raised = shl $int %reduced, %left_tiny
  %as_tiny = lshr $int %raised, %right_tiny
  %packed = select i1 %normal, $int %as_normal, $int %as_tiny
  %is_zero = icmp eq $int %reduced, 0
  %unsigned = select i1 %is_zero, $int 0, $int %packed
  %signed = or $int %unsigned, %sign
  %result = bitcast $int %signed to $ty
  ret $ty %result
}""")


def remainder_name(ty: Scalar) -> str:
    """The symbol of the routine for a float type, without the `@`."""
    return f"mapal_remainder_{ty.name}"


def remainder_function(ty: Scalar) -> str:
    """The routine as LLVM text. It calls `llvm.ctlz` at the integer type of the same width."""
    width, fraction_bits = (32, 23) if ty == F32 else (64, 52)
    exponent_ones = (1 << (width - 1 - fraction_bits)) - 1
    return _TEXT.substitute(
        ty="float" if ty == F32 else "double",
        int=f"i{width}",
        name=remainder_name(ty),
        magnitude=(1 << (width - 1)) - 1,
        sign=-(1 << (width - 1)),
        infinity=exponent_ones << fraction_bits,
        fraction_bits=fraction_bits,
        fraction=(1 << fraction_bits) - 1,
        hidden=1 << fraction_bits,
        leading=width - 1 - fraction_bits,
    )
