// The addresses of the operator's pages.
import { HOME } from '#dashboard/browser/paths.ts'

export const OVERVIEW = HOME
