// Made by tools/scripts/make_hash_kernel of hash_kernel.cu. Do not edit.
#pragma once

namespace detshim {

inline constexpr char hash_kernel_ptx[] = R"ptx(
.version 4.0
.target sm_50
.address_size 64

	// .globl	detshim_hash
.visible .shared .align 8 .b8 detshim_hash_sums[2048];
.global .align 8 .b8 detshim_hash_slots[786432];

.visible .entry detshim_hash(
	.param .align 8 .b8 detshim_hash_param_0[112]
)
{
	.reg .pred 	%p<46>;
	.reg .b32 	%r<54>;
	.reg .b64 	%rd<262>;

	mov.b64 	%rd92, detshim_hash_param_0;
	mov.u64 	%rd1, %rd92;
	mov.u32 	%r10, %tid.x;
	mov.u32 	%r53, %ntid.x;
	mov.u32 	%r2, %nctaid.x;
	cvt.u64.u32 	%rd2, %r10;
	ld.param.u64 	%rd5, [detshim_hash_param_0+8];
	add.s64 	%rd94, %rd5, 7;
	ld.param.u64 	%rd7, [detshim_hash_param_0+16];
	ld.param.u64 	%rd8, [detshim_hash_param_0+24];
	mul.lo.s64 	%rd95, %rd8, %rd7;
	ld.param.u64 	%rd9, [detshim_hash_param_0+32];
	mul.lo.s64 	%rd96, %rd95, %rd9;
	ld.param.u64 	%rd97, [detshim_hash_param_0+40];
	mul.lo.s64 	%rd10, %rd96, %rd97;
	setp.lt.u64 	%p1, %rd94, 8;
	setp.eq.s64 	%p2, %rd10, 0;
	or.pred  	%p3, %p1, %p2;
	mov.u64 	%rd261, 0;
	@%p3 bra 	LBB0_56;
	mov.u32 	%r11, %ctaid.x;
	mul.wide.u32 	%rd93, %r11, %r53;
	add.s64 	%rd245, %rd93, %rd2;
	mul.wide.u32 	%rd4, %r53, %r2;
	shr.u64 	%rd6, %rd94, 3;
	or.b64  	%rd98, %rd4, %rd6;
	and.b64  	%rd99, %rd98, -4294967296;
	setp.ne.s64 	%p4, %rd99, 0;
	@%p4 bra 	LBB0_3;
	bra.uni 	LBB0_2;
LBB0_3:
	div.u64 	%rd240, %rd4, %rd6;
	bra.uni 	LBB0_4;
LBB0_2:
	cvt.u32.u64 	%r12, %rd6;
	cvt.u32.u64 	%r13, %rd4;
	div.u32 	%r14, %r13, %r12;
	cvt.u64.u32 	%rd240, %r14;
LBB0_4:
	or.b64  	%rd101, %rd245, %rd6;
	and.b64  	%rd102, %rd101, -4294967296;
	setp.ne.s64 	%p5, %rd102, 0;
	@%p5 bra 	LBB0_6;
	bra.uni 	LBB0_5;
LBB0_6:
	div.u64 	%rd242, %rd245, %rd6;
	bra.uni 	LBB0_7;
LBB0_5:
	cvt.u32.u64 	%r15, %rd6;
	cvt.u32.u64 	%r16, %rd245;
	div.u32 	%r17, %r16, %r15;
	cvt.u64.u32 	%rd242, %r17;
LBB0_7:
	setp.ge.u64 	%p6, %rd242, %rd10;
	@%p6 bra 	LBB0_56;
	mul.lo.s64 	%rd100, %rd240, %rd6;
	sub.s64 	%rd14, %rd4, %rd100;
	mul.lo.s64 	%rd105, %rd242, %rd6;
	sub.s64 	%rd243, %rd245, %rd105;
	ld.param.v2.u32 	{%r3, %r4}, [%rd1+88];
	cvt.u32.u64 	%r5, %rd7;
	ld.param.u64 	%rd19, [%rd1+80];
	ld.param.u64 	%rd20, [%rd1];
	ld.param.u64 	%rd21, [%rd1+48];
	cvt.u32.u64 	%r6, %rd8;
	ld.param.u64 	%rd22, [%rd1+56];
	cvt.u32.u64 	%r7, %rd9;
	ld.param.u64 	%rd23, [%rd1+64];
	ld.param.u64 	%rd24, [%rd1+72];
	mov.u64 	%rd261, 0;
	setp.eq.s32 	%p7, %r3, 0;
	setp.eq.s32 	%p25, %r4, 0;
	mov.pred 	%p34, 0;
	setp.eq.s32 	%p11, %r3, 2;
	bra.uni 	LBB0_9;
LBB0_41:
	ld.u64 	%rd259, [%rd57];
LBB0_54:
	mul.lo.s64 	%rd194, %rd259, -7046029254386353131;
	xor.b64  	%rd195, %rd194, %rd245;
	add.s64 	%rd196, %rd195, -3335678366873096957;
	shr.u64 	%rd197, %rd196, 30;
	xor.b64  	%rd198, %rd197, %rd196;
	mul.lo.s64 	%rd199, %rd198, -4658895280553007687;
	shr.u64 	%rd200, %rd199, 27;
	xor.b64  	%rd201, %rd200, %rd199;
	mul.lo.s64 	%rd202, %rd201, -7723592293110705685;
	shr.u64 	%rd203, %rd202, 31;
	xor.b64  	%rd204, %rd203, %rd202;
	add.s64 	%rd261, %rd204, %rd261;
LBB0_55:
	add.s64 	%rd205, %rd242, %rd240;
	add.s64 	%rd206, %rd243, %rd14;
	setp.ge.u64 	%p37, %rd206, %rd6;
	setp.lt.u64 	%p38, %rd206, %rd6;
	selp.b64 	%rd207, 0, %rd6, %p38;
	sub.s64 	%rd243, %rd206, %rd207;
	selp.u64 	%rd208, 1, 0, %p37;
	add.s64 	%rd242, %rd205, %rd208;
	add.s64 	%rd245, %rd245, %rd4;
	setp.lt.u64 	%p39, %rd242, %rd10;
	@%p39 bra 	LBB0_9;
	bra.uni 	LBB0_56;
LBB0_9:
	shl.b64 	%rd29, %rd243, 3;
	add.s64 	%rd106, %rd29, 8;
	min.u64 	%rd248, %rd106, %rd5;
	mov.u64 	%rd247, %rd29;
	@%p7 bra 	LBB0_17;
	setp.lt.u64 	%p8, %rd242, %rd7;
	mov.u64 	%rd246, 0;
	@%p8 bra 	LBB0_16;
	or.b64  	%rd108, %rd242, %rd7;
	setp.gt.u64 	%p9, %rd108, 4294967295;
	@%p9 bra 	LBB0_13;
	cvt.u32.u64 	%r21, %rd242;
	div.u32 	%r22, %r21, %r5;
	cvt.u64.u32 	%rd246, %r22;
	bra.uni 	LBB0_16;
LBB0_13:
	and.b64  	%rd110, %rd108, -4294967296;
	setp.ne.s64 	%p10, %rd110, 0;
	@%p10 bra 	LBB0_15;
	bra.uni 	LBB0_14;
LBB0_15:
	div.u64 	%rd246, %rd242, %rd7;
	bra.uni 	LBB0_16;
LBB0_14:
	cvt.u32.u64 	%r19, %rd242;
	div.u32 	%r20, %r19, %r5;
	cvt.u64.u32 	%rd246, %r20;
LBB0_16:
	setp.eq.s32 	%p12, %r3, 1;
	mul.lo.s64 	%rd111, %rd246, %rd7;
	sub.s64 	%rd112, %rd242, %rd111;
	mul.lo.s64 	%rd113, %rd112, %rd19;
	add.s64 	%rd114, %rd113, %rd19;
	setp.gt.u64 	%p13, %rd248, %rd114;
	selp.b64 	%rd115, %rd114, %rd248, %p13;
	selp.b64 	%rd248, %rd115, %rd248, %p12;
	setp.lt.u64 	%p14, %rd29, %rd113;
	selp.b64 	%rd116, %rd113, %rd29, %p14;
	selp.b64 	%rd247, %rd116, %rd29, %p11;
LBB0_17:
	setp.le.u64 	%p15, %rd248, %rd247;
	@%p15 bra 	LBB0_55;
	setp.gt.u64 	%p16, %rd7, %rd242;
	mov.u64 	%rd251, 0;
	mov.u64 	%rd249, %rd251;
	@%p16 bra 	LBB0_24;
	or.b64  	%rd118, %rd242, %rd7;
	setp.gt.u64 	%p17, %rd118, 4294967295;
	@%p17 bra 	LBB0_21;
	cvt.u32.u64 	%r26, %rd242;
	div.u32 	%r27, %r26, %r5;
	cvt.u64.u32 	%rd249, %r27;
	bra.uni 	LBB0_24;
LBB0_21:
	and.b64  	%rd120, %rd118, -4294967296;
	setp.ne.s64 	%p18, %rd120, 0;
	@%p18 bra 	LBB0_23;
	bra.uni 	LBB0_22;
LBB0_23:
	div.u64 	%rd249, %rd242, %rd7;
	bra.uni 	LBB0_24;
LBB0_22:
	cvt.u32.u64 	%r24, %rd242;
	div.u32 	%r25, %r24, %r5;
	cvt.u64.u32 	%rd249, %r25;
LBB0_24:
	setp.lt.u64 	%p19, %rd249, %rd8;
	mov.u64 	%rd250, %rd251;
	@%p19 bra 	LBB0_30;
	or.b64  	%rd122, %rd249, %rd8;
	setp.lt.u64 	%p20, %rd122, 4294967296;
	@%p20 bra 	LBB0_29;
	bra.uni 	LBB0_26;
LBB0_29:
	cvt.u32.u64 	%r31, %rd249;
	div.u32 	%r32, %r31, %r6;
	cvt.u64.u32 	%rd250, %r32;
	bra.uni 	LBB0_30;
LBB0_26:
	and.b64  	%rd124, %rd122, -4294967296;
	setp.ne.s64 	%p21, %rd124, 0;
	@%p21 bra 	LBB0_28;
	bra.uni 	LBB0_27;
LBB0_28:
	div.u64 	%rd250, %rd249, %rd8;
	bra.uni 	LBB0_30;
LBB0_27:
	cvt.u32.u64 	%r29, %rd249;
	div.u32 	%r30, %r29, %r6;
	cvt.u64.u32 	%rd250, %r30;
LBB0_30:
	setp.lt.u64 	%p22, %rd250, %rd9;
	@%p22 bra 	LBB0_36;
	or.b64  	%rd126, %rd250, %rd9;
	setp.lt.u64 	%p23, %rd126, 4294967296;
	@%p23 bra 	LBB0_35;
	bra.uni 	LBB0_32;
LBB0_35:
	cvt.u32.u64 	%r36, %rd250;
	div.u32 	%r37, %r36, %r7;
	cvt.u64.u32 	%rd251, %r37;
	bra.uni 	LBB0_36;
LBB0_32:
	and.b64  	%rd128, %rd126, -4294967296;
	setp.ne.s64 	%p24, %rd128, 0;
	@%p24 bra 	LBB0_34;
	bra.uni 	LBB0_33;
LBB0_34:
	div.u64 	%rd251, %rd250, %rd9;
	bra.uni 	LBB0_36;
LBB0_33:
	cvt.u32.u64 	%r34, %rd250;
	div.u32 	%r35, %r34, %r7;
	cvt.u64.u32 	%rd251, %r35;
LBB0_36:
	@%p25 bra 	LBB0_38;
	shl.b64 	%rd129, %rd251, 3;
	add.s64 	%rd130, %rd20, %rd129;
	ld.u64 	%rd131, [%rd130];
	sub.s64 	%rd252, %rd131, %rd20;
	bra.uni 	LBB0_39;
LBB0_38:
	mul.lo.s64 	%rd252, %rd251, %rd24;
LBB0_39:
	mul.lo.s64 	%rd132, %rd251, %rd9;
	sub.s64 	%rd133, %rd250, %rd132;
	mul.lo.s64 	%rd54, %rd133, %rd23;
	mul.lo.s64 	%rd134, %rd250, %rd8;
	sub.s64 	%rd135, %rd249, %rd134;
	mul.lo.s64 	%rd55, %rd135, %rd22;
	mul.lo.s64 	%rd136, %rd249, %rd7;
	sub.s64 	%rd137, %rd242, %rd136;
	mul.lo.s64 	%rd56, %rd137, %rd21;
	add.s64 	%rd138, %rd29, %rd20;
	add.s64 	%rd139, %rd138, %rd56;
	add.s64 	%rd140, %rd139, %rd55;
	add.s64 	%rd141, %rd140, %rd54;
	add.s64 	%rd57, %rd141, %rd252;
	sub.s64 	%rd58, %rd248, %rd247;
	setp.ne.s64 	%p26, %rd58, 8;
	@%p26 bra 	LBB0_47;
	and.b64  	%rd162, %rd57, 7;
	setp.ne.s64 	%p31, %rd162, 0;
	@%p31 bra 	LBB0_42;
	bra.uni 	LBB0_41;
LBB0_42:
	and.b64  	%rd163, %rd57, 3;
	setp.ne.s64 	%p32, %rd163, 0;
	@%p32 bra 	LBB0_44;
	bra.uni 	LBB0_43;
LBB0_44:
	and.b64  	%rd164, %rd57, 1;
	setp.eq.b64 	%p33, %rd164, 1;
	xor.pred  	%p35, %p33, %p34;
	not.pred 	%p36, %p35;
	@%p36 bra 	LBB0_46;
	bra.uni 	LBB0_45;
LBB0_46:
	ld.u16 	%rd183, [%rd57];
	ld.u16 	%r44, [%rd57+2];
	mul.wide.u32 	%rd184, %r44, 65536;
	or.b64  	%rd185, %rd184, %rd183;
	ld.u16 	%rd186, [%rd57+4];
	shl.b64 	%rd187, %rd186, 32;
	or.b64  	%rd188, %rd185, %rd187;
	ld.u16 	%rd189, [%rd57+6];
	shl.b64 	%rd190, %rd189, 48;
	or.b64  	%rd259, %rd188, %rd190;
	bra.uni 	LBB0_54;
LBB0_47:
	sub.s64 	%rd257, %rd247, %rd29;
	sub.s64 	%rd143, %rd248, %rd29;
	setp.ge.u64 	%p27, %rd257, %rd143;
	mov.u64 	%rd259, 0;
	@%p27 bra 	LBB0_54;
	add.s64 	%rd146, %rd247, 1;
	and.b64  	%rd64, %rd58, 1;
	setp.eq.s64 	%p28, %rd248, %rd146;
	mov.u64 	%rd259, 0;
	@%p28 bra 	LBB0_52;
	and.b64  	%rd65, %rd58, -2;
	shl.b64 	%rd148, %rd247, 3;
	shl.b64 	%rd149, %rd243, 6;
	sub.s64 	%rd253, %rd148, %rd149;
	add.s64 	%rd150, %rd20, %rd247;
	add.s64 	%rd151, %rd150, %rd252;
	add.s64 	%rd152, %rd151, %rd56;
	add.s64 	%rd153, %rd152, %rd55;
	add.s64 	%rd67, %rd153, %rd54;
	mov.u64 	%rd259, 0;
	mov.u64 	%rd255, %rd259;
LBB0_50:
	add.s64 	%rd154, %rd67, %rd255;
	ld.u8 	%rd155, [%rd154];
	cvt.u32.u64 	%r38, %rd253;
	shl.b64 	%rd156, %rd155, %r38;
	or.b64  	%rd157, %rd156, %rd259;
	ld.u8 	%rd158, [%rd154+1];
	add.s32 	%r39, %r38, 8;
	shl.b64 	%rd159, %rd158, %r39;
	or.b64  	%rd259, %rd159, %rd157;
	add.s64 	%rd255, %rd255, 2;
	add.s64 	%rd253, %rd253, 16;
	setp.ne.s64 	%p29, %rd65, %rd255;
	@%p29 bra 	LBB0_50;
	add.s64 	%rd257, %rd257, %rd255;
LBB0_52:
	setp.eq.s64 	%p30, %rd64, 0;
	@%p30 bra 	LBB0_54;
	add.s64 	%rd78, %rd257, %rd57;
	shl.b64 	%rd79, %rd257, 3;
	ld.u8 	%rd160, [%rd78];
	cvt.u32.u64 	%r40, %rd79;
	shl.b64 	%rd161, %rd160, %r40;
	or.b64  	%rd259, %rd161, %rd259;
	bra.uni 	LBB0_54;
LBB0_43:
	ld.u32 	%rd191, [%rd57];
	ld.u32 	%rd192, [%rd57+4];
	shl.b64 	%rd193, %rd192, 32;
	or.b64  	%rd259, %rd193, %rd191;
	bra.uni 	LBB0_54;
LBB0_45:
	ld.u8 	%rd165, [%rd57];
	ld.u8 	%r41, [%rd57+1];
	mul.wide.u32 	%rd166, %r41, 256;
	or.b64  	%rd167, %rd166, %rd165;
	ld.u8 	%r42, [%rd57+2];
	mul.wide.u32 	%rd168, %r42, 65536;
	or.b64  	%rd169, %rd167, %rd168;
	ld.u8 	%r43, [%rd57+3];
	mul.wide.u32 	%rd170, %r43, 16777216;
	or.b64  	%rd171, %rd169, %rd170;
	ld.u8 	%rd172, [%rd57+4];
	shl.b64 	%rd173, %rd172, 32;
	or.b64  	%rd174, %rd171, %rd173;
	ld.u8 	%rd175, [%rd57+5];
	shl.b64 	%rd176, %rd175, 40;
	or.b64  	%rd177, %rd174, %rd176;
	ld.u8 	%rd178, [%rd57+6];
	shl.b64 	%rd179, %rd178, 48;
	or.b64  	%rd180, %rd177, %rd179;
	ld.u8 	%rd181, [%rd57+7];
	shl.b64 	%rd182, %rd181, 56;
	or.b64  	%rd259, %rd180, %rd182;
	bra.uni 	LBB0_54;
LBB0_56:
	shl.b64 	%rd209, %rd2, 3;
	mov.u64 	%rd210, detshim_hash_sums;
	add.s64 	%rd88, %rd210, %rd209;
	st.shared.u64 	[%rd88], %rd261;
	setp.lt.u32 	%p40, %r53, 2;
	cvt.u32.u64 	%r52, %rd2;
	@%p40 bra 	LBB0_57;
	bra.uni 	LBB0_61;
LBB0_57:
	setp.eq.s32 	%p43, %r52, 0;
	@%p43 bra 	LBB0_58;
	bra.uni 	LBB0_60;
LBB0_58:
	ld.param.u32 	%r48, [%rd1+104];
	mul.wide.u32 	%rd216, %r48, 24;
	mov.u64 	%rd217, detshim_hash_slots;
	add.s64 	%rd90, %rd217, %rd216;
	ld.shared.u64 	%rd218, [detshim_hash_sums];
	atom.global.add.u64 	%rd219, [%rd90], %rd218;
	membar.gl;
	add.s64 	%rd220, %rd90, 16;
	atom.global.add.u64 	%rd221, [%rd220], 1;
	add.s32 	%r49, %r2, -1;
	cvt.u64.u32 	%rd222, %r49;
	setp.ne.s64 	%p44, %rd221, %rd222;
	@%p44 bra 	LBB0_60;
	membar.gl;
	atom.global.exch.b64 	%rd223, [%rd90], 0;
	ld.global.u64 	%rd224, [%rd90+8];
	ld.param.u32 	%r50, [%rd1+108];
	setp.eq.s32 	%p45, %r50, 0;
	selp.b64 	%rd225, 0, %rd224, %p45;
	mul.lo.s64 	%rd226, %rd223, -7046029254386353131;
	xor.b64  	%rd227, %rd225, %rd226;
	add.s64 	%rd228, %rd227, -3335678366873096957;
	shr.u64 	%rd229, %rd228, 30;
	xor.b64  	%rd230, %rd229, %rd228;
	mul.lo.s64 	%rd231, %rd230, -4658895280553007687;
	shr.u64 	%rd232, %rd231, 27;
	xor.b64  	%rd233, %rd232, %rd231;
	mul.lo.s64 	%rd234, %rd233, -7723592293110705685;
	shr.u64 	%rd235, %rd234, 31;
	xor.b64  	%rd236, %rd235, %rd234;
	st.global.u64 	[%rd90+8], %rd236;
	mov.u64 	%rd237, 0;
	st.global.u64 	[%rd90+16], %rd237;
	ld.param.u64 	%rd238, [%rd1+96];
	st.volatile.u64 	[%rd238], %rd236;
	membar.sys;
	add.s32 	%r51, %r50, 1;
	cvt.u64.u32 	%rd239, %r51;
	st.volatile.u64 	[%rd238+8], %rd239;
LBB0_60:
	ret;
LBB0_63:
	setp.lt.u32 	%p42, %r53, 4;
	mov.u32 	%r53, %r9;
	@%p42 bra 	LBB0_57;
LBB0_61:
	shr.u32 	%r9, %r53, 1;
	bar.sync 	0;
	setp.ge.u32 	%p41, %r52, %r9;
	@%p41 bra 	LBB0_63;
	add.s32 	%r46, %r9, %r52;
	mul.wide.u32 	%rd211, %r46, 8;
	add.s64 	%rd89, %rd210, %rd211;
	ld.shared.u64 	%rd213, [%rd89];
	ld.shared.u64 	%rd214, [%rd88];
	add.s64 	%rd215, %rd214, %rd213;
	st.shared.u64 	[%rd88], %rd215;
	bra.uni 	LBB0_63;

}
)ptx";

} // namespace detshim
