import { setTimeout } from 'node:timers/promises'
import type { Timer } from '#ports/timer.ts'

export const timer: Timer = { sleep: (ms) => setTimeout(ms) }
