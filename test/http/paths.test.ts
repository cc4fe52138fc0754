import { expect, test } from 'vitest'
import { createPaths } from '#http/paths.ts'

const find = createPaths(
  new Map(['/a', '/a/:id', '/a/fixed', '/a/:id/b/:other', '/:any/b'].map((path) => [path, path] as const)),
)

test.each([
  ['/a', '/a', {}],
  ['/a/', '/a', {}],
  ['/a/1', '/a/:id', { id: '1' }],
  ['/a/1/', '/a/:id', { id: '1' }],
  ['/a/1/b/x', '/a/:id/b/:other', { id: '1', other: 'x' }],
  ['/a/caf%C3%A9%2F1', '/a/:id', { id: 'café/1' }],
])('%s is on the route %s', (path, route, params) => {
  expect(find(path)).toEqual({ route, params })
})

test('a fixed route goes before a route with parameters, and those keep their order', () => {
  expect(find('/a/fixed')?.route).toBe('/a/fixed')
  expect(find('/a/b')?.route).toBe('/a/:id')
})

test.each(['', '/', '//', '/A', '/a//', '//a', '/a/1/b', '/a/1/b/x/y', '/a.', 'a'])('%j is on no route', (path) => {
  expect(find(path)).toBeNull()
})
