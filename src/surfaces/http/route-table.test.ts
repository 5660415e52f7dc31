import { describe, expect, test } from 'bun:test'
import { createRouteTable } from './route-table.ts'

const table = createRouteTable<string>()
for (const [method, path] of [
  ['GET', '/'],
  ['GET', '/api/things'],
  ['POST', '/api/things'],
  ['GET', '/api/things/mine'],
  ['GET', '/api/things/{id}'],
  ['PUT', '/api/things/{thing_id}'],
  ['GET', '/api/things/{id}/parts/{part_id}'],
  ['GET', '/api/things/mine/first'],
  ['GET', '/api/{kind}/mine/last'],
] as const)
  table.add(method, path, `${method} ${path}`)

describe('a path belongs to', () => {
  test.each([
    ['GET', '/', 'GET /', {}],
    ['GET', '/api/things', 'GET /api/things', {}],
    ['POST', '/api/things', 'POST /api/things', {}],
    ['HEAD', '/api/things', 'GET /api/things', {}],
    ['GET', '/api/things/x', 'GET /api/things/{id}', { id: 'x' }],
    ['PUT', '/api/things/x', 'PUT /api/things/{thing_id}', { thing_id: 'x' }],
    ['GET', '/api/things/mine', 'GET /api/things/mine', {}],
    ['PUT', '/api/things/mine', 'PUT /api/things/{thing_id}', { thing_id: 'mine' }],
    ['GET', '/api/things/mine/parts/2', 'GET /api/things/{id}/parts/{part_id}', { id: 'mine', part_id: '2' }],
    ['GET', '/api/things/mine/last', 'GET /api/{kind}/mine/last', { kind: 'things' }],
    ['GET', '/api/things/a%2Fb%20c', 'GET /api/things/{id}', { id: 'a/b c' }],
    ['GET', '/api/things/%zz', 'GET /api/things/{id}', { id: '%zz' }],
    ['GET', '/api/things/__proto__', 'GET /api/things/{id}', { id: '__proto__' }],
  ])('%s %s', (method, path, route, params) => {
    expect(table.find(method, path)).toEqual({ route, params })
  })
})

test.each([
  ['GET', '/api'],
  ['GET', '/api/things/'],
  ['GET', '/api/things//parts/1'],
  ['GET', '//api/things'],
  ['GET', '/api/things/x/parts'],
  ['DELETE', '/api/things'],
  ['GET', 'api/things'],
  ['GET', ''],
])('%s %s is no route', (method, path) => {
  expect(table.find(method, path)).toBeUndefined()
})

test.each([
  ['/api/things', ['GET', 'POST']],
  ['/api/things/x', ['GET', 'PUT']],
  ['/api/things/mine', ['GET']],
  ['/api/nothing', []],
])('%s has its own methods, and not the methods of a route with a parameter: %p', (path, methods) => {
  expect(table.methods(path)).toEqual(methods)
})
