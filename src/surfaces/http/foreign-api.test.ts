// The paths and hosts of a foreign API.
import { expect, test } from 'bun:test'
import { createApiFinder } from './foreign-api.ts'

const describeError = () => ({ status: 500, body: {} })
const OTHER = { path: '/other/api', hosts: ['other.example.com'], hostPath: '/api', headers: {}, describeError }

const find = (host: string, path: string) => {
  const { path: found, isAtHost } = createApiFinder([OTHER])(path, new Headers({ host })) ?? {}
  return found === undefined ? undefined : { path: found, isAtHost }
}

test.each([
  ['/other/api', '/other/api'],
  ['/other/api/', '/other/api'],
  ['/other/api/things', '/other/api/things'],
  ['/other/api/things/', '/other/api/things'],
])('%s is the route %s', (path, route) => {
  expect(find('plat.example.com', path)).toEqual({ path: route, isAtHost: false })
})

test.each(['/', '/api', '/api/things/', '/other', '/other/', '/other/apis', '/other/api-key', '/x/other/api'])(
  '%s is not below it',
  (path) => {
    expect(find('plat.example.com', path)).toBeUndefined()
  },
)

test.each([
  ['/api', '/other/api'],
  ['/api/', '/other/api'],
  ['/api/things/', '/other/api/things'],
  ['/', ''],
  ['/apis', ''],
  ['/other/api/things', ''],
  ['/metrics', ''],
])('at its host %s is the route %p', (path, route) => {
  for (const host of ['other.example.com', 'OTHER.example.com:8080'])
    expect(find(host, path)).toEqual({ path: route, isAtHost: true })
})

test.each(['/healthz', '/readyz'])('at its host %s is that of the server', (path) => {
  expect(find('other.example.com', path)).toBeUndefined()
})
