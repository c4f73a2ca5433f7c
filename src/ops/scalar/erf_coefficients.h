// erf as two polynomials, fitted by Remez exchange: |x| < 1: x (1 + P(x²)); above: 1 - exp(p(min(|x|, limit))) with p the logarithm of
// erfc, its error weighted by erfc. Absolute errors: single 2^-29, double 2^-62.
#pragma once

namespace weft::erf_coefficients {

inline constexpr double kSingleLimit = 4, kDoubleLimit = 6;  // erfc is below half an ulp of 1 there
inline constexpr double kSingleInner[] = {0x1.06eba8p-3, -0x1.81273ep-2,  0x1.ce2d2p-4,  -0x1.b7fbb6p-6,
                                          0x1.5419fap-8, -0x1.a485f8p-11, 0x1.4ae4c6p-14};
inline constexpr double kSingleOuter[] = {0x1.ac92c6p-13, -0x1.21317ap+0,  -0x1.441dc4p-1,
                                          -0x1.bcfc42p-4, 0x1.9fb878p-6,   -0x1.18a6a2p-8,
                                          0x1.e65234p-12, -0x1.a8b9d2p-16, 0x1.0df028p-22};
inline constexpr double kDoubleInner[] = {0x1.06eba8214db69p-3,   -0x1.812746b0379e6p-2,  0x1.ce2f21a042b34p-4,
                                          -0x1.b82ce31284f38p-6,  0x1.565bcd0dbd921p-8,   -0x1.c02db3db49762p-11,
                                          0x1.f9a321e4b84f9p-14,  -0x1.f4d1e434bc0cfp-17, 0x1.b9df305cad6f7p-20,
                                          -0x1.5f1f40faeea79p-23, 0x1.f7b99d7c8709ap-27,  -0x1.38ac2290d3965p-30,
                                          0x1.062759c5be8ecp-34};
inline constexpr double kDoubleOuter[] = {0x1.8f22d7bca9b82p-26,  -0x1.20dd7a139bc19p+0,  -0x1.45f2c8ce168a9p-1,
                                          -0x1.a4fc5b8786633p-4,  0x1.39b7bd8ee90a0p-6,   0x1.63eff4ab38a7bp-13,
                                          -0x1.ac39ea7b63f08p-10, 0x1.0bce9d2348a16p-11,  0x1.d122f5136944cp-15,
                                          -0x1.16043ce34dc7bp-13, 0x1.40145f5a98aa6p-14,  -0x1.eb25da1b46c5ep-16,
                                          0x1.1e9bff00f7caap-17,  -0x1.0872c952f331bp-19, 0x1.8526d7890dbcfp-22,
                                          -0x1.c56fe603257afp-25, 0x1.9a1bd7c116b29p-28,  -0x1.15ea9a80d0674p-31,
                                          0x1.099bf852ce452p-35,  -0x1.3f2628e310dabp-40, 0x1.6a6e5dc9fa7c2p-46};

}  // namespace weft::erf_coefficients
