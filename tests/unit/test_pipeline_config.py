"""A pipeline as plain JSON and back: every transform of the kit, and clear errors for what cannot be read."""

from __future__ import annotations

import inspect
import json

import pytest

from ctxkit import (
    ClearToolResults,
    KeepRecentMessages,
    KeepWithinTokens,
    MessageTransform,
    Pipeline,
    SummarizeOldMessages,
    SummaryCache,
    TokenCounter,
    run,
    transforms,
)
from ctxkit.transforms import SummarizeToolResults
from ctxkit.transforms.config import OBJECTS, register_transform
from tests.fakes import FakeModel
from tests.histories import A, C, T, U

MODEL = FakeModel()
STAGES = {
    "KeepRecentMessages": KeepRecentMessages(7, "shrink"),
    "KeepWithinTokens": KeepWithinTokens(9_000, low_water=5_000),
    "ClearToolResults": ClearToolResults(1, 500, 100, ["plan", "search"], "[gone]"),
    "SummarizeToolResults": SummarizeToolResults(MODEL, 900, 800, 2, concurrency=3),
    "SummarizeOldMessages": SummarizeOldMessages(
        MODEL,
        12,
        3,
        max_tokens=4_000,
        summary_tokens=300,
        request_tokens=6_000,
        role="assistant",
        instruction="Notes, please.",
        template="So far: {{ summary }}",
    ),
    "Pipeline": Pipeline([KeepRecentMessages(3), Pipeline([ClearToolResults()]), Pipeline([])]),
}
OF_THE_KIT = [
    name
    for name in transforms.__all__
    if inspect.isclass(kind := getattr(transforms, name))
    and issubclass(kind, MessageTransform)
    and not inspect.isabstract(kind)
]


def defaults(kind):
    return {
        name: parameter.default
        for name, parameter in inspect.signature(kind).parameters.items()
        if name not in OBJECTS and parameter.default is not parameter.empty
    }


def exported(transform):
    [stage] = Pipeline([transform]).to_config()["stages"]
    return stage


@pytest.mark.parametrize("name", STAGES)
def test_a_round_trip_through_json_gives_an_equal_pipeline(name):
    config = Pipeline([STAGES[name]]).to_config()
    again = Pipeline.from_config(json.loads(json.dumps(config, allow_nan=False)), model=MODEL)
    assert again.to_config() == config
    assert type(again.transforms[0]) is type(STAGES[name])
    assert repr(again) == repr(Pipeline([STAGES[name]]))


@pytest.mark.parametrize("name", [name for name in STAGES if name != "Pipeline"])
def test_every_option_is_exported_as_it_was_given(name):
    stage = exported(STAGES[name])
    assert stage["name"] == name
    assert set(stage["options"]) == set(inspect.signature(type(STAGES[name])).parameters) - set(OBJECTS)
    for option, default in defaults(type(STAGES[name])).items():
        assert stage["options"][option] != default, f"{option}: the sample should differ from the default"


@pytest.mark.parametrize("name", OF_THE_KIT)
def test_every_transform_of_the_kit_goes_out_and_comes_back(name):
    kind = getattr(transforms, name)
    required = [
        p.name
        for p in inspect.signature(kind).parameters.values()
        if p.default is p.empty and p.name not in OBJECTS
    ]
    options = {option: 5_000 for option in required if option != "transforms"}
    stage = {"name": name, "stages": []} if name == "Pipeline" else {"name": name, "options": options}
    pipeline = Pipeline.from_config({"version": 1, "stages": [stage]}, model=MODEL)
    again = Pipeline.from_config(pipeline.to_config(), model=MODEL)
    assert again.to_config() == pipeline.to_config()


def test_a_missing_option_has_its_default_and_a_derived_one_is_derived_anew():
    stage = {"name": "SummarizeOldMessages"}
    small = FakeModel()
    small.num_ctx = 3_000
    for model, size in ((MODEL, 8_192), (small, 3_000)):
        [made] = Pipeline.from_config({"version": 1, "stages": [stage]}, model=model).transforms
        assert exported(made)["options"] == defaults(SummarizeOldMessages)
        assert made.summariser.request_tokens == size


def test_objects_are_handed_over_and_never_exported():
    cache, counter = SummaryCache(), TokenCounter("o200k_base")
    pipeline = Pipeline([*STAGES.values()])
    config = pipeline.to_config()
    text = json.dumps(config)
    assert "SummaryCache" not in text and "TokenCounter" not in text and "counter" not in text
    assert [stage.get("model") for stage in config["stages"]].count("FakeModel fake") == 2
    again = Pipeline.from_config(config, model=MODEL, cache=cache, counter=counter)
    old, results = again.transforms[4], again.transforms[3]
    assert old.model is results.model is MODEL and old.cache is results.cache is cache
    assert again.transforms[1].counter is old.counter is counter


def test_the_copy_does_what_the_original_does():
    pipeline = Pipeline([SummarizeToolResults(MODEL, 60), ClearToolResults(1), KeepRecentMessages(4)])
    again = Pipeline.from_config(pipeline.to_config(), model=MODEL)
    history = [U(), C("a"), T("a", "salt\n" * 300), C("b"), T("b", "\n".join(map(str, range(300)))), A(), U()]
    assert run(again(history)) == run(pipeline(history))
    assert [d.action for d in again.plan(history)] == [d.action for d in pipeline.plan(history)]


def stage(name="KeepRecentMessages", **options):
    return {"version": 1, "stages": [{"name": name, "options": options}]}


def nested(inner):
    return {"version": 1, "stages": [{"name": "Pipeline", "stages": [inner]}]}


@pytest.mark.parametrize(
    "config, kind, message",
    [
        ({"stages": []}, ValueError, "config.version: None is not known; this ctxkit reads version 1"),
        ({"version": 2, "stages": []}, ValueError, "config.version: 2"),
        ({"version": True, "stages": []}, ValueError, "config.version: True"),
        ({"version": 1}, TypeError, "config.stages: expected a list, got NoneType"),
        (
            {"version": 1, "stages": [], "steps": 1},
            ValueError,
            "config: 'steps' is not known here; known: ver",
        ),
        ({"version": 1, "stages": ["KeepRecent"]}, TypeError, r"config.stages\[0\]: expected an object"),
        ({"version": 1, "stages": [{}]}, ValueError, r"stages\[0\].name: no transform is called None"),
        (stage("os.system"), ValueError, "no transform is called 'os.system'; known: .*KeepRecentMessages"),
        (stage("MessageTransform"), ValueError, "no transform is called 'MessageTransform'"),
        (
            stage(keeep=3),
            ValueError,
            r"stages\[0\].options: 'keeep' is not known here; known: keep, on_split",
        ),
        (stage(keep=-1), ValueError, r"stages\[0\].options: keep: expected a whole number of at least 0"),
        (stage(keep="3"), TypeError, r"stages\[0\].options: keep: expected a whole number, got str"),
        (stage("KeepWithinTokens"), TypeError, r"stages\[0\].options: .*max_tokens"),
        (stage("SummarizeOldMessages"), ValueError, r"SummarizeOldMessages needs a model; write from_config"),
        (stage("SummarizeToolResults", model="x"), ValueError, "options: 'model' is not known here"),
        (stage("Pipeline"), ValueError, "'options' is not known here; known: name, stages"),
        (
            nested({"name": "X"}),
            ValueError,
            r"config.stages\[0\].stages\[0\].name: no transform is called 'X'",
        ),
        ([], TypeError, "config: expected an object"),
        (None, TypeError, "config: expected an object"),
        ("{}", TypeError, "config: expected an object"),
    ],
)
def test_what_cannot_be_read_is_named(config, kind, message):
    with pytest.raises(kind, match=message):
        Pipeline.from_config(config)


def test_a_pipeline_nested_without_end_is_refused():
    config = {"name": "Pipeline", "stages": []}
    for _ in range(5_000):
        config = {"name": "Pipeline", "stages": [config]}
    with pytest.raises(ValueError, match="nested more than 100 levels"):
        Pipeline.from_config({"version": 1, "stages": [config]})


class TestOwnTransforms:
    class Own(KeepRecentMessages):
        """A user's transform, with an option of its own."""

        def __init__(self, keep=2, colour="red"):
            super().__init__(keep)
            self.colour = colour

    def test_an_unknown_one_is_refused_with_what_to_do(self):
        class Mine(KeepRecentMessages):
            pass

        with pytest.raises(TypeError, match=r"transforms\[1\]: Mine .*register_transform\(Mine\)"):
            Pipeline([KeepRecentMessages(), Mine()]).to_config()

    def test_one_that_only_has_the_name_of_the_kits_is_refused(self):
        fake = type("KeepRecentMessages", (KeepRecentMessages,), {})
        with pytest.raises(TypeError, match="cannot be exported"):
            Pipeline([fake()]).to_config()
        with pytest.raises(ValueError, match="the kit has a KeepRecentMessages of its own"):
            register_transform(fake)

    def test_a_registered_one_goes_out_and_comes_back(self):
        assert register_transform(self.Own) is self.Own
        config = Pipeline([self.Own(4, "blue")]).to_config()
        assert config["stages"] == [{"name": "Own", "options": {"keep": 4, "colour": "blue"}}]
        [again] = Pipeline.from_config(config).transforms
        assert type(again) is self.Own and (again.keep, again.colour) == (4, "blue")

    def test_options_must_be_kept_and_be_plain_data(self):
        class Careless(KeepRecentMessages):
            def __init__(self, keep=2, colour="red"):
                super().__init__(keep)

        class Holding(KeepRecentMessages):
            def __init__(self, keep=2, lock=None):
                super().__init__(keep)
                self.lock = object()

        class Vague(KeepRecentMessages):
            def __init__(self, *args):
                super().__init__(*args)

        for kind in (Careless, Holding):
            register_transform(kind)
        with pytest.raises(TypeError, match="Careless does not keep its option 'colour'"):
            Pipeline([Careless()]).to_config()
        with pytest.raises(TypeError, match=r"transforms\[0\]\.lock: expected plain data"):
            Pipeline([Holding()]).to_config()
        with pytest.raises(TypeError, match="Vague cannot be copied or exported: 'args' of its __init__"):
            register_transform(Vague)
        for wrong in (int, KeepRecentMessages()):
            with pytest.raises(TypeError, match="expected a class of MessageTransform"):
                register_transform(wrong)
