"""How a mechanism behaves, whatever it promises: state, time, forms of calls, constant and inert outputs."""
