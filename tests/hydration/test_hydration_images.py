"""Where the hydration Job's script has the hub's library from."""

from machines.caches.hydration_settings import HydrationSettings
from tests.hydration.containers import Container, watched_python
from tests.hydration.hub_stub import Hub
from tests.hydration.repositories import assert_staged


def test_an_image_with_the_library_installs_nothing(hub: Hub, container: Container) -> None:
    """In a prebuilt image no package index is asked for anything [C49]"""
    arguments = watched_python(container)
    assert_staged(container, container.run())
    assert "pip" not in arguments.read_text()


def test_an_image_without_the_library_gets_it(hub: Hub, container: Container) -> None:
    """Else the one version that was tested is installed, from the index that is set [C48]"""
    index = ("PIP_INDEX_URL", "http://index.example/simple")
    container.settings = HydrationSettings(env=(*container.settings.env, index))
    missing = ("*'import huggingface_hub'*) exit 1 ;;", "*pip*) exit 0 ;;")
    arguments = watched_python(container, *missing)
    assert_staged(container, container.run())
    [pip] = [line for line in arguments.read_text().splitlines() if "pip" in line.split()]
    assert "huggingface_hub==2.4.0" in pip
    assert pip.endswith("index http://index.example/simple")


def test_an_unreachable_index_is_told(hub: Hub, container: Container) -> None:
    """Where the library cannot be installed, the last words say what to do about it [C49]"""
    watched_python(container, "*'import huggingface_hub'*) exit 1 ;;", "*pip*) exit 1 ;;")
    ended = container.run()
    assert (ended.code, hub.asked, container.markers()) == (1, [], [])
    assert ended.last_words.startswith("cannot install huggingface_hub 2.4.0: set a package index")
