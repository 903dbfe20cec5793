# nix-build packaging/nix: the library and the command, of the sources that this file lies in.
{ pkgs ? import <nixpkgs> { } }:
let
  inherit (pkgs) lib;
in
pkgs.stdenv.mkDerivation {
  pname = "detshim";
  version = "0.1.0";

  src = lib.cleanSourceWith {
    src = ../..;
    filter = path: type: baseNameOf path != "build" && lib.cleanSourceFilter path type;
  };

  nativeBuildInputs = with pkgs; [ cmake ninja pkg-config ];
  buildInputs = with pkgs; [
    capstone
    cli11
    elfutils
    lz4
    nlohmann_json
    pcre2
    simdjson
    spdlog
    xz # for pkg-config alone: elfutils' files name it
    zlib
    zstd
  ];

  doInstallCheck = true;
  installCheckPhase = ''
    draw() { $out/bin/detshim run --quiet --seed 42 --log "$TMPDIR/log" -- od -An -N8 -tx1 /dev/urandom; }
    test "$(draw)" = "$(draw)"
  '';

  meta = {
    description = "Makes unmodified training programs repeatable";
    license = lib.licenses.mit;
    platforms = [ "x86_64-linux" "aarch64-linux" ];
    mainProgram = "detshim";
  };
}
