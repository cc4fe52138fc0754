// The REST edge: every documented endpoint, as an express router.
import type { Router } from 'express'
import type { Executor } from '#graphql/executor.ts'
import { createRouter } from '#http/router.ts'
import { ROUTES } from '#rest/routes.ts'

export const createRestRouter = ({ executor }: { readonly executor: Executor }): Router =>
  createRouter(ROUTES, executor)
