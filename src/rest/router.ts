// The REST edge: every documented endpoint.
import type { Executor } from '#graphql/executor.ts'
import { createRouter, type Router } from '#http/router.ts'
import { ROUTES } from '#rest/routes.ts'

export const createRestRouter = ({ executor }: { readonly executor: Executor }): Router =>
  createRouter(ROUTES, executor)
