// Every flow of money through the service, with the ending that it must reach.

import { BILLING_FLOWS, billingCourseOf } from './billing/flows.ts'
import { courseOf, type Flow } from './flow.ts'
import { exceptions } from './flows/exceptions.ts'
import { halts } from './flows/halts.ts'
import { refunds } from './flows/refunds.ts'
import { requests } from './flows/requests.ts'
import { splits } from './flows/splits.ts'
import { sweeps } from './flows/sweeps.ts'
import type { Course } from './run-course.ts'

export const FLOWS: readonly Flow[] = [
  ...sweeps(),
  ...splits(),
  ...refunds(),
  ...requests(),
  ...exceptions(),
  ...halts(),
]

/** The flows of payments and of recurring billing. */
export const COURSES: readonly Course[] = [...FLOWS.map(courseOf), ...BILLING_FLOWS.map(billingCourseOf)]
