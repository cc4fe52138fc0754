// The only source of time. Everything in core takes `now` as an argument.
export type Clock = { now(): Date }
