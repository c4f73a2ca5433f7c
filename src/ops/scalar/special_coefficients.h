// Series of the special functions. The first groups are Chebyshev coefficients, c0 + c1 T1(s) + …, with s the named variable brought
// from its interval to [-1, 1]: our own fits, by interpolation at 40 to 60 nodes in 50 digits, cut where the rest is below 1e-18.
#pragma once

namespace weft::special_coefficients {

/// erfc(x) exp(x²) (x + 4) for x in [0.5, 27.3], in t = (x - 4) / (x + 4) over [kErfcLow, kErfcHigh].
inline constexpr double kErfcScaled[] = {
    0x1.6499522d69120p+0,   -0x1.f625618c5c8ddp-1,  0x1.309eb3132f1a0p-2,   -0x1.3f3627a9f61f5p-4,
    0x1.1f6480fb3415ep-6,   -0x1.b62cd78dbc236p-9,  0x1.126ce5e85d6f2p-11,  -0x1.08531f8e44bfep-14,
    0x1.418e683d30881p-18,  0x1.1c2a783c88ab7p-26,  -0x1.065f9d535397dp-24, 0x1.dc7b65916df7ap-28,
    0x1.3117c552f0b37p-33,  -0x1.00e207e3d6a6fp-33, 0x1.030442a598e46p-37,  0x1.8dc0e9b05f9e1p-40,
    -0x1.e4036edc5643ap-43, -0x1.017f94098171fp-46, 0x1.5012aa44cb46dp-48,  0x1.06c2a9312e406p-53,
    -0x1.bf9461dc3d59ep-54, -0x1.1037c191c0c3dp-61, 0x1.337970309f088p-59};
inline constexpr double kErfcLow = -0x1.8e38e38e38e39p-1, kErfcHigh = 0x1.7d232b592670ep-1;
/// erf⁻¹(x) / x in w = -log(1 - x²), w over [0, 6.25].
inline constexpr double kErfInvCentre[] = {
    0x1.a16357b9a6014p+0,   0x1.7690021bfa659p-1,   -0x1.5bea2e253860ap-6,  -0x1.af48f8c60268bp-8,
    0x1.fee28749b3e8bp-10,  -0x1.28ec06faad32ap-13, -0x1.9d7f9eeabc325p-15, 0x1.ef0657a47bfbcp-17,
    -0x1.482191d4d49a6p-21, -0x1.122e09736920ap-21, 0x1.f1cc722468c1bp-24,  0x1.99c9b736ca149p-30,
    -0x1.686b16c6e6ae3p-28, 0x1.d446dccbea891p-31,  0x1.5c31ba3c31f33p-34,  -0x1.c08cea036c64ep-35,
    0x1.7e8a5e7e81206p-38,  0x1.6bbebed34b139p-40,  -0x1.061cf6da41d70p-41, 0x1.b4f98efc0df66p-46,
    0x1.2780b45fe4ad7p-46,  -0x1.1c9889075da3dp-48, -0x1.680b2736424cdp-55, 0x1.a64454acc72d9p-53,
    -0x1.1800dcbf7655ap-55, -0x1.a8c07635c1843p-59, 0x1.1382b2a127b8ep-59,  -0x1.d480614d05df4p-63};
/// erf⁻¹(x) / x in √w, √w over [2.5, 4.25].
inline constexpr double kErfInvMiddle[] = {
    0x1.9b181a4a873c0p+1,   0x1.c1f94c7dbf8cep-1,   0x1.233df521c1863p-9,   -0x1.5e4cc4563515fp-11,
    0x1.77bde9bc9cbc2p-13,  -0x1.86117286c7d69p-15, 0x1.545dbae13d4e9p-17,  -0x1.932a68abb3e4ep-20,
    0x1.5f1692e87912ep-25,  0x1.ad36ba0f0b8f8p-25,  -0x1.00cb250e92463p-26, 0x1.f8b70b819f0b4p-30,
    0x1.f433bca316352p-34,  -0x1.9264c2d2e0473p-34, 0x1.2213cb187337fp-36,  -0x1.43e0f5e2c3b87p-41,
    -0x1.c1be388f9f2fep-42, 0x1.cc6f1793e2f99p-44,  -0x1.5f0a02e51c990p-47, -0x1.058cc01a2b43fp-50,
    0x1.146e9377845fap-51,  -0x1.7222de2127165p-54, 0x1.2fa884aecb82fp-58,  0x1.b7940f679795fp-60,
    -0x1.1f2916eb916d8p-61};
/// erf⁻¹(x) / x in √w, √w over [4.25, 6.25].
inline constexpr double kErfInvTail[] = {0x1.468cf90b6b2e9p+2,   0x1.02942d6df6aebp+0,   -0x1.c54098cdad22fp-14,
                                         -0x1.614cf61b0a6bdp-15, 0x1.f7f15a6978ec6p-18,  -0x1.ff0bba123fccdp-21,
                                         0x1.c9aa838fc285fp-24,  -0x1.85e1ec750f00bp-27, 0x1.56ca4f1ed5ba5p-30,
                                         -0x1.697c69e0e861ep-33, 0x1.055782cf67364p-35,  -0x1.daaf400759e8cp-38,
                                         0x1.bfe465624989cp-40,  -0x1.87226df72703bp-42, 0x1.29eb4b6800a51p-44,
                                         -0x1.75bfc9ae2efdbp-47, 0x1.5370b918d7b7bp-50,  -0x1.9031543b73d48p-55,
                                         -0x1.7a8fa1c7fb208p-56, 0x1.e8219969b3a10p-58,  -0x1.58d653922ca9dp-60};
/// log Γ(2 + e) / e, e over [-½, ½].
inline constexpr double kLogGamma[] = {
    0x1.a8206853fafb7p-2,   0x1.4e472dd39b207p-3,  -0x1.1bbcb99ff7746p-7,  0x1.60b730056d78dp-11,
    -0x1.0182fdad60a45p-14, 0x1.9a0a218fa60c9p-18, -0x1.5822692eeaad3p-21, 0x1.2b06aaff7da20p-24,
    -0x1.0a3185415c7e3p-27, 0x1.e25c213a300f3p-31, -0x1.bae52014118ccp-34, 0x1.9ae77f1492027p-37,
    -0x1.8068210934ce2p-40, 0x1.6a13260adaeaep-43, -0x1.56fc33729d1c8p-46, 0x1.4679a7ab00a8cp-49,
    -0x1.380e68ad42041p-52, 0x1.2b5bff4d053adp-55, -0x1.20199b12eaae9p-58, 0x1.160e17423b068p-61};
/// exp(-x) I₁(x) / x, x over [0, 8].
inline constexpr double kBesselSmall[] = {
    0x1.02a63724a7ffap-3,  -0x1.694d10469192ep-3,  0x1.a46dad536f53cp-4,  -0x1.b1bbc537c9ebcp-5,
    0x1.951e3e7bb2349p-6,  -0x1.5a29f7913a26ap-7,  0x1.1065349d3a1b4p-8,  -0x1.8cc620b3cd4a4p-10,
    0x1.0c95db6c6df7dp-11, -0x1.533cad3d694fep-13, 0x1.911b542c70d0bp-15, -0x1.bd5f9b8debbcfp-17,
    0x1.d1c4ed511afc5p-19, -0x1.cc0798363992ap-21, 0x1.ae344b347d108p-23, -0x1.7dd3e24b8c3e8p-25,
    0x1.4258e02395010p-27, -0x1.0361b28ea67e6p-29, 0x1.8ea34b43fdf6cp-32, -0x1.2510397eb07dep-34,
    0x1.9cee2b21d3154p-37, -0x1.173835fb70366p-39, 0x1.6af784779d955p-42, -0x1.c628e1c8f0b3bp-45,
    0x1.11d7f0615290cp-47, -0x1.3eaaa7e0d1573p-50, 0x1.663e3e593bfacp-53, -0x1.857d0c38a0576p-56,
    0x1.99f2a0c3c4014p-59, -0x1.a21dbdbdd0288p-62};
/// exp(-x) I₁(x) √x in 1/x, 1/x over [0, 1/8].
inline constexpr double kBesselLarge[] = {
    0x1.8ea18b55b1514p-2,   -0x1.3fda053fcdb4cp-7,  -0x1.cfd7f804aa9a6p-14, -0x1.048df49ca0373p-18,
    -0x1.0dbfd2e9e5443p-22, -0x1.c415394bb46c1p-26, -0x1.0790b9ad53528p-28, -0x1.334ca5423dd80p-31,
    -0x1.4dcf9d4504c0cp-36, 0x1.1e1a1f1587865p-35,  0x1.f101f653c457bp-37,  0x1.1e7d3f6439fa3p-39,
    -0x1.953e1076ab493p-41, -0x1.cbc458e73e255p-42, -0x1.7a9482e6d22a0p-46, 0x1.80d3c26b3281ep-45,
    0x1.776e1762d31e8p-47,  -0x1.12db5138afbc7p-48, -0x1.0efcd8bc4d22ap-49, 0x1.7d68e5f04a2d1p-52,
    0x1.55915fceb588ap-52,  -0x1.2806c9c773320p-55, -0x1.acea3b2532277p-55, 0x1.45b8aea87b950p-58,
    0x1.1556db352e8e6p-57,  -0x1.12e7f21d2c006p-60, -0x1.6ea1785f94461p-60, 0x1.1d07095b15978p-62,
    0x1.de9945215b823p-63};
/// B₂ₖ / 2k from k = 1: ψ(x) = log x - 1/(2x) - Σ of these x⁻²ᵏ.
inline constexpr double kDigammaTail[] = {0x1.5555555555555p-4,  -0x1.1111111111111p-7, 0x1.0410410410410p-8,
                                          -0x1.1111111111111p-8, 0x1.f07c1f07c1f08p-8,  -0x1.5995995995996p-6,
                                          0x1.5555555555555p-4,  -0x1.c5e5e5e5e5e5ep-2, 0x1.86e7f9b9fe6e8p+1};
/// B₂ₖ / (2k (2k - 1)) from k = 1: the tail of Stirling's series in x¹⁻²ᵏ.
inline constexpr double kStirling[] = {0x1.5555555555555p-4,   -0x1.6c16c16c16c17p-9, 0x1.a01a01a01a01ap-11,
                                       -0x1.3813813813814p-11, 0x1.b951e2b18ff23p-11, -0x1.f6ab0d9993c7dp-10,
                                       0x1.a41a41a41a41ap-8,   -0x1.e4286cb0f5398p-6, 0x1.6fe96381e0680p-3};
/// B₂ₖ / (2k)! from k = 1.
inline constexpr double kEulerMaclaurin[] = {0x1.5555555555555p-4,   -0x1.6c16c16c16c17p-10, 0x1.1566abc011567p-15,
                                             -0x1.bbd779334ef0bp-21, 0x1.66a8f2bf70ebep-26,  -0x1.22805d644267fp-31,
                                             0x1.d6db2c4e09162p-37,  -0x1.7da4e1f79955cp-42, 0x1.355871d652e9ep-47,
                                             -0x1.f57d968caacf1p-53, 0x1.967e1f09c376fp-58,  -0x1.497d9033a2b5cp-63,
                                             0x1.0b132d7c6ad06p-68};

}  // namespace weft::special_coefficients
