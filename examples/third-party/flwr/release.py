"""A client's model update as Flower's LocalDpMod sends it: clipped to a ball, with normal noise."""

import logging

import numpy as np
from flwr.app import ArrayRecord, Message, RecordDict
from flwr.clientapp.mod import LocalDpMod
from flwr.supercore.task_identity import TaskIdentity

logging.disable(logging.INFO)
TaskIdentity.run_id = TaskIdentity.node_id = TaskIdentity.task_id = 1  # which messages ask for
CLIP = 0.5
SENSITIVITY = 2 * CLIP  # two updates in a ball of this radius differ by its diameter at most
START = RecordDict({"model": ArrayRecord([np.zeros(1, dtype=np.float32)])})


def update(data, epsilon, delta):
    """What the server gets of a client that wants to send the update in `data`."""
    mod = LocalDpMod(CLIP, SENSITIVITY, float(epsilon[0]), float(delta[0]))
    asked = Message(content=START, message_type="train", dst_node_id=1)
    answer = mod(asked, None, lambda message, _context: replied(message, data))
    return float(next(iter(answer.content.array_records.values())).to_numpy_ndarrays()[0][0])


def replied(message, data):
    """The client's own answer, before the mod."""
    return Message(RecordDict({"model": ArrayRecord([np.array(data, dtype=np.float32)])}), reply_to=message)


def ends():
    """The updates that are farthest apart after clipping."""
    yield [-1.0], [1.0], [0], "the ends of the ball"


def nothing_learned():
    """A client whose model did not change at all, and one whose model did."""
    yield [0.0], [1.0], [0], "no change, or a large one"
