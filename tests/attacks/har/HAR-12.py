"""
id: HAR-12
title: messages in the name of a kernel
ending: [ok, error]
credit: none
problem: value
"""
kernel = get_ipython().kernel
parent = kernel.get_parent("shell")
content = {"execution_count": 1, "data": {"text/plain": "42"}, "metadata": {}}
kernel.session.send(kernel.iopub_socket, "execute_result", content, parent=parent)
kernel.session.send(kernel.iopub_socket, "status", {"execution_state": "idle"}, parent=parent)
kernel.session.send(kernel.shell_stream.socket, "execute_reply", {"status": "ok"}, parent=parent)
41
