// Every course that money takes through the service, with the end that it must come to.
import type { Flow } from './course.ts'
import { exceptions } from './flows/exceptions.ts'
import { halts } from './flows/halts.ts'
import { refunds } from './flows/refunds.ts'
import { requests } from './flows/requests.ts'
import { sweeps } from './flows/sweeps.ts'

export const FLOWS: readonly Flow[] = [...sweeps(), ...refunds(), ...requests(), ...exceptions(), ...halts()]
