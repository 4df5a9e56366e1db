import cProfile, pstats, time
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
def test_a(open_page, draft, monkeypatch):
    app = open_page("editor", set=draft.problemset_id, pid="p1")
    app.run()
    prof = cProfile.Profile()
    real = ScriptRunner._run_script_thread
    def wrapped(self):
        prof.enable()
        try: real(self)
        finally: prof.disable()
    monkeypatch.setattr(ScriptRunner, "_run_script_thread", wrapped)
    for _ in range(3): app.run()
    pstats.Stats(prof).sort_stats("cumulative").print_stats(60)
    main = cProfile.Profile(); main.enable(); app.run(); main.disable()
    pstats.Stats(main).sort_stats("cumulative").print_stats(25)
