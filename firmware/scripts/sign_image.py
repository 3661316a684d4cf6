"""Signs an application for MCUboot: sign_image.py BUILD IMGTOOL KEY OUT [VERSION].

For a Zephyr tree without a west workspace, where Zephyr's own build cannot sign. Every argument of
imgtool comes from the build, as `west sign` takes them. Keys that MCUboot publishes are refused,
unless the output's name says that it is a demonstration.
"""

import os
import pickle
import subprocess
import sys
from pathlib import Path


def options_of(build: Path) -> dict[str, str]:
    """Return the Kconfig options of a build, strings without their quotes."""
    found: dict[str, str] = {}
    for line in (build / "zephyr/.config").read_text(encoding="utf-8").splitlines():
        name, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            found[name.strip()] = value.strip('"')
    return found


def slot_of(build: Path, zephyr_base: Path) -> tuple[int, int]:
    """Return the size of the slot that runs, and how many bytes its flash writes at once."""
    sys.path.insert(0, str(zephyr_base / "scripts/dts/python-devicetree/src"))
    with (build / "zephyr/edt.pickle").open("rb") as stream:
        tree = pickle.load(stream)
    slot = tree.label2node["slot0_partition"]
    flash = slot.parent.parent  # slot -> partitions -> the flash that holds them
    return slot.regs[0].size, int(flash.props["write-block-size"].val)


def is_published(key: Path, imgtool: Path) -> bool:
    """Tell whether MCUboot's sources hold this key, so that anybody can sign with it."""
    mcuboot = imgtool.resolve().parent.parent
    text = "".join(key.read_text(encoding="ascii").split())
    return any(
        text == "".join(path.read_text(encoding="ascii").split())
        for path in mcuboot.glob("root-*.pem")
    )


def main() -> int:
    """Sign and return 0, or say in one sentence why not."""
    build, imgtool, key, out = (Path(word) for word in sys.argv[1:5])
    if is_published(key, imgtool) and "demo" not in out.name:
        sys.stderr.write(
            f"could not sign {out.name} with {key.name}: MCUboot publishes that key, so anybody "
            "could sign for this board; make your own with `imgtool keygen`, or set "
            "MCUBOOT_DEMO=1 for an image that is named a demonstration\n"
        )
        return 2
    options = options_of(build)
    slot_bytes, align = slot_of(build, Path(os.environ["ZEPHYR_BASE"]))
    version = sys.argv[5] if len(sys.argv) > 5 else options["CONFIG_MCUBOOT_IMGTOOL_SIGN_VERSION"]
    command = [sys.executable, str(imgtool), "sign"]
    command += ["--key", str(key), "--version", version, "--align", str(align)]
    if align > 8:
        command += ["--max-align", str(align)]
    command += ["--header-size", options["CONFIG_ROM_START_OFFSET"]]
    command += ["--slot-size", str(slot_bytes)]
    command += options["CONFIG_MCUBOOT_EXTRA_IMGTOOL_ARGS"].split()
    command += [str(build / "zephyr/zephyr.bin"), str(out)]
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
