// Every flow of money through the service, with the ending that it must reach.

import { exceptions } from './flows/exceptions.ts'
import { halts } from './flows/halts.ts'
import { refunds } from './flows/refunds.ts'
import { requests } from './flows/requests.ts'
import { splits } from './flows/splits.ts'
import { sweeps } from './flows/sweeps.ts'
import type { Flow } from './run-flow.ts'

export const FLOWS: readonly Flow[] = [
  ...sweeps(),
  ...splits(),
  ...refunds(),
  ...requests(),
  ...exceptions(),
  ...halts(),
]
