# SPDX-License-Identifier: MIT
"""The floors: who names whom in the kernel is what the tables of docs/architecture.md say (tools/amalgam/build/layers.py)."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from amalgam import paths
from amalgam.build import layers
from amalgam.build.kernel import compile_kernel

KNOWN = Path(__file__).with_name("layers_known.txt")
SHAPES = sorted(config.stem for config in (paths.ROOT / "config").glob("*.config"))


def known(text: str) -> tuple[set[str], set[layers.Files]]:
    """The list of what is wrong today: uses by their keys, circles by their files."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    circles = {frozenset(line.split()[1:]) for line in lines if line.startswith("circle: ")}
    return {line for line in lines if not line.startswith("circle: ")}, circles


def judge(table: layers.Table, trees: list[layers.Tree], listed: str) -> list[str]:
    """What is wrong: a use or a circle that neither the tables nor the list have, and what is listed without being there."""
    uses, circles = known(listed)
    found = {finding for tree in trees for finding in layers.breaches(table, tree)}
    all_circles = {circle for tree in trees for circle in layers.file_circles(table, tree)}
    wrong = [str(f) for f in sorted(found, key=str) if f.key not in uses]
    for circle in sorted(all_circles, key=sorted):
        if not any(circle <= allowed for allowed in (*table.circles, *circles)):
            wrong.append("circle: " + " ".join(sorted(circle)))
        elif len({table.folder(file) for file in circle}) > 1 and not any(circle <= c for c in circles):
            wrong.append("circle across folders, where no reason counts: " + " ".join(sorted(circle)))
    wrong += [f"no longer there, strike it: {key}" for key in sorted(uses - {f.key for f in found})]
    for allowed in (*table.circles, *circles):
        if allowed != frozenset().union(*(c for c in all_circles if c <= allowed)):
            wrong.append("not all of it is a circle any more: " + " ".join(sorted(allowed)))
    return wrong


@pytest.fixture(scope="module")
def table() -> layers.Table:
    return layers.read_table((paths.ROOT / "docs" / "architecture.md").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def trees() -> list[layers.Tree]:
    for shape in SHAPES:
        compile_kernel(shape, lambda _text: None)
    return [layers.read_shape(shape) for shape in SHAPES]


def test_every_folder_names_what_its_floor_may(table: layers.Table, trees: list[layers.Tree]) -> None:
    wrong = judge(table, trees, KNOWN.read_text(encoding="utf-8")) + layers.idle(table, trees)
    assert not wrong, "\n" + "\n".join(wrong)


def taken(table: layers.Table, trees: list[layers.Tree]) -> list[str]:
    """Weak defaults whose place a file of another folder takes, in any configuration: "NAME: the default's folder"."""
    uses = {use for tree in trees for use in tree.overrides if table.folder(use.caller) != table.folder(use.callee)}
    return sorted({f"{use.name}: {table.folder(use.caller)}" for use in uses})


def test_no_other_folder_takes_the_place_of_a_default(table: layers.Table, trees: list[layers.Tree]) -> None:
    """What an option gives has a twin that is linked without it (x.c, x_none.c), or is found by process/part.h."""
    assert taken(table, trees) == []


def test_calls_up_and_circles_only_get_fewer(table: layers.Table) -> None:
    """Who adds one takes another away."""
    assert sum(contract.up for contract in table.contracts) <= 25
    assert len(table.circles) <= 18


@pytest.mark.parametrize("shape", ["ppc405", "i586", "virt", "cluster", "cluster32", "selfvirt", "pc", "process", "attach"])
def test_the_reading_guide_counts_as_the_compiler_does(shape: str) -> None:
    """kernel/README.md, to a twentieth."""
    compile_kernel(shape, lambda _text: None)
    files = layers.sources(shape)
    found = re.search(
        rf"^\| `{shape}` \| (\d+) \| ([\d,]+) \|", (paths.ROOT / "kernel" / "README.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert found
    lines = sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files)
    said = int(found[1]), int(found[2].replace(",", ""))
    assert all(abs(told - real) <= real / 20 for told, real in zip(said, (len(files), lines), strict=True)), (said, len(files), lines)


def test_only_the_architecture_knows_the_vmcb() -> None:
    """vm/ has a guest's registers by struct guest_cpu, and what an exit was by functions (arch/vcpu.h)."""
    kernel = paths.ROOT / "kernel"
    files = [file for folder in (kernel / "vm", kernel / "include") for file in sorted(folder.rglob("*.[chS]"))]
    assert files and not [str(file) for file in files if "vmcb" in file.read_text(encoding="utf-8").lower()]


def test_the_makefile_names_no_option_no_source_and_no_architecture() -> None:
    """A folder's files.mk says what its options do, an arch.mk what an instruction set needs."""
    lines = (paths.ROOT / "kernel" / "Makefile").read_text(encoding="utf-8").splitlines()
    code = "\n".join(line for line in lines if not line.startswith("#"))
    assert set(re.findall(r"CONFIG_\w+", code)) == {"CONFIG_ARCH", "CONFIG_BOARD", "CONFIG_CROSS_COMPILE"}
    assert not re.findall(r"[\w/]+\.[cS]\.o", code)
    assert not [arch.name for arch in (paths.ROOT / "kernel" / "arch").iterdir() if re.search(rf"\b{arch.name}\b", code)]


def test_a_line_of_a_files_mk_closes_what_it_opens() -> None:
    """make takes what is behind a parenthesis too many for the name of one more file, and says nothing."""
    for file in sorted((paths.ROOT / "kernel").rglob("files.mk")):
        for line in file.read_text(encoding="utf-8").replace("\\\n", "").splitlines():
            assert line.count("(") == line.count(")"), f"{file}: {line}"


def test_no_list_in_the_kernel_names_a_class_of_devices() -> None:
    """Boards find the classes that are linked by a set that the linker gathers (hal/device.h)."""
    kernel = paths.ROOT / "kernel"
    virtio = ["device/virtio.c", "device/virtio_firmware.c"]  # a kernel links one of them
    classes = {"rtl8139": ["device/rtl8139.c"], "virtio-net": virtio, "virtio-blk": virtio}
    files = [file for folder in ("device", "board", "include/hal") for file in sorted((kernel / folder).rglob("*.[ch]"))]
    for name, homes in classes.items():
        assert [file for file in files if f'"{name}"' in file.read_text(encoding="utf-8")] == [kernel / home for home in homes]


def test_a_mailbox_is_the_clusters() -> None:
    """What kernels of an SCC send each other is mail."""
    kernel = paths.ROOT / "kernel"
    files = [file for file in sorted(kernel.rglob("*.[chS]")) if "mailbox" in file.read_text(encoding="utf-8").lower()]
    assert files and {file.relative_to(kernel).parts[0] for file in files} == {"cluster"}


def renames(makefile: str) -> list[str]:
    """What gives a function another name: NAME=OTHER that is no option's value (-fabc=def)."""
    lines = [line for line in makefile.splitlines() if not line.startswith("#")]
    return re.findall(r"(?<![-\w])[a-z]\w*=[a-z_]\w*", "\n".join(lines)) + re.findall(r"-D\w+=[A-Za-z_]\w*", "\n".join(lines))


def test_the_build_renames_nothing() -> None:
    """A function has the name that its source says."""
    kernel = paths.ROOT / "kernel"
    found = {str(file): renames(file.read_text(encoding="utf-8")) for file in (kernel / "Makefile", *kernel.rglob("*.mk"))}
    assert len(found) > 40
    assert not {file: names for file, names in found.items() if names}


def test_a_renamed_function_is_found() -> None:
    assert renames("arch-native := cpu/time.c:hal_timer_arm=native_timer_arm -std=gnu11 -DA=1\n") == ["hal_timer_arm=native_timer_arm"]


# Components, machines and protocols: none of core/'s business.
WORDS = {
    *(
        "scc",
        "svm",
        "noc",
        "kvm",
        "linux",
        "virtio",
        "uart",
        "pit",
        "rtc",
        "i8259",
        "ioapic",
        "pvh",
        "multiboot",
        "multiboot1",
        "multiboot2",
    ),
    *("linux64", "acpi", "rcce", "nanvix", "cluster", "clusters", "mailbox", "portal", "x86", "riscv", "ppc405", "amdv", "selfvirt"),
    *("ethernet", "rtl8139"),
}


def words_of(text: str) -> set[str]:
    """The identifiers and included headers of a source in which one of the words stands; comments and messages are prose."""
    code = re.sub(r'/\*.*?\*/|"(?:[^"\\\n]|\\.)*"', " ", re.sub(r'(#\s*include\s+)"([^"]+)"', r"\1<\2>", text), flags=re.DOTALL)
    names = re.findall(r"<[\w./-]+>|[A-Za-z_]\w*", code)
    return {name for name in names if WORDS & set(re.split(r"[_<>./-]", name.lower()))}


def test_core_has_no_word_of_a_component() -> None:
    """In its names and includes."""
    kernel = paths.ROOT / "kernel"
    files = [file for folder in (kernel / "core", kernel / "include/core") for file in sorted(folder.glob("*.[chS]"))]
    found = {f"{file.relative_to(kernel)}: {name}" for file in files for name in words_of(file.read_text(encoding="utf-8"))}
    assert len(files) > 40
    assert not sorted(found)


def test_a_word_of_a_component_is_found() -> None:
    text = '#include "noc.h"\n#include <svm/svm.h>\n/* scc_core */ enum { SYS_KVM_EOI, KIND }; static int linux_irqs(const char *rtc_name); "uart"\n'
    assert words_of(text) == {"<noc.h>", "<svm/svm.h>", "SYS_KVM_EOI", "linux_irqs", "rtc_name"}


# A tree of two folders: high/ may call low/ by include/low/low.h; low/ calls up by low_event, and by the table of pointers of that header.
TABLES = """
<!-- layers: down -->
| headers | names | defined in | used by |
|---|---|---|---|
| `low/` | all | `low` | `high` |

<!-- layers: up -->
| headers | names | defined in | used by |
|---|---|---|---|
| `low/upcalls.h` | `low_event` | `high` | `low` |

<!-- layers: circles -->
| files | why |
|---|---|
"""
LOW = "#include <low/low.h>\n#include <low/upcalls.h>\n"
FILES = {
    "include/low/low.h": "struct low_ops { int (*run)(void); };\nint low_call(const struct low_ops *ops);\nextern int low_count[2], low_other;\n",
    "include/low/upcalls.h": "void low_event(void);\n",
    "include/high/high.h": "int high_call(int a);\nextern int high_state;\nstruct high_ops { int (*run)(void); };\n",
    "low/low.c": LOW + "int low_count[2], low_other;\nint low_call(const struct low_ops *ops) { low_event(); return ops->run(); }\n",
    "low/more.c": LOW + "int low_more(void);\nint low_more(void) { return low_count[1]; }\n",
    "high/high.c": (
        "#include <low/low.h>\n#include <low/upcalls.h>\n#include <high/high.h>\nint high_state;\nvoid low_event(void) { high_state++; }\n"
        "static int run(void) { return low_other; }\nstatic const struct low_ops ops = {run};\n"
        "int high_call(int a) { return a + low_call(&ops); }\n"
    ),
}


def compiled(folder: Path, changed: dict[str, str] | None = None) -> layers.Tree:
    """The small tree with some files changed, compiled as the kernel is."""
    kernel, out = folder / "kernel", folder / "out"
    objects = []
    for name, text in (FILES | (changed or {})).items():
        file = kernel / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    for file in sorted(kernel.rglob("*.c")):
        made = out / f"{file.relative_to(kernel)}.o"
        made.parent.mkdir(parents=True, exist_ok=True)
        words = ["gcc", "-O2", "-flto", "-MMD", "-MP", f"-I{kernel}/include", "-c", file, "-o", made]
        subprocess.run(words, check=True)
        objects.append(str(made))
    return layers.read_tree(objects, kernel, out, "gcc-nm")


def wrong(folder: Path, changed: dict[str, str] | None = None, tables: str = TABLES, listed: str = "") -> list[str]:
    """Judge the small tree with some files changed."""
    return judge(layers.read_table(tables), [compiled(folder, changed)], listed)


def test_what_the_tables_permit_passes(tmp_path: Path) -> None:
    assert wrong(tmp_path) == []


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("#include <low/low.h>\nint high_call(int);\nint low_up(void);\nint low_up(void) { return high_call(1); }\n", "high_call"),
        ("extern int high_state;\nint low_up(void);\nint low_up(void) { return high_state; }\n", "high_state"),
        ("extern int high_state;\nint *low_up(void);\nint *low_up(void) { return &high_state; }\n", "high_state"),
        ("int high_call(int);\nint (*low_hook)(int) = high_call;\n", "high_call"),
        ("__attribute__((weak)) int high_call(int a) { return a; }\n", "high_call"),
    ],
    ids=["function", "data", "address", "pointer", "weak_default"],
)
def test_a_call_up_fails_and_names_both_files(tmp_path: Path, text: str, name: str) -> None:
    assert wrong(tmp_path, {"low/up.c": text}) == [f"kernel/low/up.c uses {name} of kernel/high/high.c   [low -> high: {name}]"]


def test_a_default_that_another_folder_replaces_is_seen(tmp_path: Path) -> None:
    weak = "__attribute__((weak)) int {}(int a) {{ return a; }}\n"
    changed = {
        "low/up.c": weak.format("high_call"),
        "low/slot.c": weak.format("low_slot"),
        "low/own.c": "int low_slot(int a) { return a + 1; }\n",
    }
    assert taken(layers.read_table(TABLES), [compiled(tmp_path, changed)]) == ["high_call: low"]


def test_a_table_of_pointers_counts_as_the_contract_that_declares_it(tmp_path: Path) -> None:
    text = "#include <high/high.h>\nint low_run(const struct high_ops *o);\nint low_run(const struct high_ops *o) { return o->run(); }\n"
    assert wrong(tmp_path, {"low/up.c": text}) == ["kernel/low/up.c includes kernel/include/high/high.h   [low -> high: high/high.h]"]


def test_a_permitted_header_permits_no_other_folders_symbol(tmp_path: Path) -> None:
    tables = TABLES.replace("`low_event`", "`low_other_event`")
    found = wrong(tmp_path, tables=tables)
    assert found == ["kernel/low/low.c uses low_event of kernel/high/high.c   [low -> high: low_event]"]


def test_a_folder_that_no_row_names_fails(tmp_path: Path) -> None:
    (found,) = wrong(tmp_path, {"side/side.c": "#include <low/low.h>\nint *side(void);\nint *side(void) { return low_count; }\n"})[:1]
    assert "no row names the folder of side/side.c" in found


def test_a_permission_that_no_configuration_needs_fails(tmp_path: Path) -> None:
    tree = compiled(tmp_path)
    assert layers.idle(layers.read_table(TABLES), [tree]) == []
    wider = TABLES.replace("| `low` | `high` |", "| `low` | `high` `side` |")
    assert layers.idle(layers.read_table(wider), [tree]) == ["side uses nothing of low/"]


CIRCLE = {
    "low/a.c": "int low_b(void);\nint low_a(void);\nint low_a(void) { return low_b(); }\n",
    "low/b.c": "int low_a(void);\nint low_b(void);\nint low_b(void) { return low_a(); }\n",
}


def test_a_circle_inside_a_folder_needs_a_reason(tmp_path: Path) -> None:
    assert wrong(tmp_path, CIRCLE) == ["circle: low/a.c low/b.c"]
    reason = TABLES + "| `low/a.c` `low/b.c` | each is the other's half, as in the manual |\n"
    assert wrong(tmp_path, CIRCLE, reason) == []
    with pytest.raises(ValueError, match="no reason"):
        wrong(tmp_path, CIRCLE, TABLES + "| `low/a.c` `low/b.c` | so |\n")


def test_no_reason_counts_for_a_circle_across_folders(tmp_path: Path) -> None:
    """When the call up is permitted as if it were one down, the circle is seen."""
    row = "| `low/` | all | `low` | `high` |\n"
    tables = TABLES.replace(row, row + "| `low/upcalls.h` | `low_event` | `high` | `low` |\n")
    tables += "| `low/low.c` `high/high.c` | a reason that would do inside a folder |\n"
    assert wrong(tmp_path, tables=tables) == ["circle across folders, where no reason counts: high/high.c low/low.c"]


def test_the_list_of_known_breaches_only_gets_shorter(tmp_path: Path) -> None:
    up = {"low/up.c": "int high_call(int);\nint (*low_hook)(int) = high_call;\n"}
    assert wrong(tmp_path / "listed", up, listed="# known\nlow -> high: high_call\n") == []
    assert wrong(tmp_path / "ended", listed="low -> high: high_call\n") == ["no longer there, strike it: low -> high: high_call"]
    assert wrong(tmp_path / "circle", CIRCLE, listed="circle: low/a.c low/b.c\n") == []
    ended = wrong(tmp_path / "no_circle", listed="circle: low/a.c low/b.c\n")
    assert ended == ["not all of it is a circle any more: low/a.c low/b.c"]
