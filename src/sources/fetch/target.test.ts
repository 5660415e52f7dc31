/** The rules for the URL of a source. */
import { describe, expect, test } from 'bun:test'
import { loadConfig } from '../../base/config/config.ts'
import { FetchError } from './fetch-error.ts'
import { findTargetProblem, parseBase, requireTarget } from './target.ts'

const SOCKET = 'unix:/run/podman/podman.sock'
const LISTED = ['127.0.0.0/30', '169.254.10.1/32', '10.9.0.0/16', SOCKET]
const find = (url: string, { allowPrivate = false, targets = LISTED, allowsQuery = false } = {}) =>
  findTargetProblem({ url, allowPrivate, targets }, { allowsQuery })

describe('a URL', () => {
  test.each([
    ['https://203.0.113.7/'],
    ['https://203.0.113.7:8006/api'],
    ['http://127.0.0.1:2375'],
    ['http://169.254.10.1/'],
    ['http://10.9.1.1/'],
    [SOCKET],
    ['https://a-name-that-does-not-resolve.invalid/'],
  ])('%s is taken', async (url) => {
    expect(await find(url)).toBeUndefined()
  })

  test.each([
    ['http://127.0.0.9/', 'SOURCE_TARGETS does not list'],
    ['http://169.254.169.254/', 'SOURCE_TARGETS does not list'],
    ['http://[::1]/', 'SOURCE_TARGETS does not list'],
    ['http://0.0.0.0/', 'SOURCE_TARGETS does not list'],
    ['http://localhost/', 'SOURCE_TARGETS'],
    ['http://10.1.1.1/', 'only with allow_private, or listed in SOURCE_TARGETS'],
    ['unix:/run/docker.sock', 'unix:/run/docker.sock is refused as a socket that SOURCE_TARGETS does not list'],
    ['unix:/run/podman/../podman/podman.sock', 'SOURCE_TARGETS does not list'],
    ['unix:///run/podman/podman.sock', 'must name a socket by its absolute path'],
    ['unix:run', 'must name a socket by its absolute path'],
    ['ftp://203.0.113.7/', 'must begin with http:// or https://'],
    ['https://a:b@203.0.113.7/', 'user name'],
    ['https://203.0.113.7/#a', 'must have no fragment'],
    ['https://203.0.113.7/?a=b', 'must have no query'],
  ])('%s is refused: %s', async (url, message) => {
    expect(await find(url)).toContain(message)
  })

  test('of a private address is taken with allow_private', async () => {
    expect(await find('http://10.1.1.1/', { allowPrivate: true, targets: [] })).toBeUndefined()
  })

  test('of a loopback address is refused with allow_private too', async () => {
    expect(await find('http://127.0.0.1/', { allowPrivate: true, targets: [] })).toContain('SOURCE_TARGETS')
  })

  test('of a document may have a query', async () => {
    expect(await find('https://203.0.113.7/list?format=csv', { allowsQuery: true })).toBeUndefined()
  })
})

test('a socket is checked again before it is asked', () => {
  requireTarget({ url: SOCKET, targets: LISTED })
  expect(() => requireTarget({ url: SOCKET, targets: [] })).toThrow(FetchError)
})

test('a base that is no URL is an error of the target', () => {
  expect(() => parseBase('ec2.amazonaws.com')).toThrow(FetchError)
})

describe('SOURCE_TARGETS', () => {
  const readFile = () => {
    throw Object.assign(new Error('no such file'), { code: 'ENOENT' })
  }
  const load = (text: string) => loadConfig({ env: { SOURCE_TARGETS: text }, cwd: '/', readFile }).sourceTargets

  test('has addresses and networks in their normal form, and sockets', () => {
    expect(load(`127.0.0.1, ::1,169.254.0.0/16, ${SOCKET}`)).toEqual([
      '127.0.0.1/32',
      '::1/128',
      '169.254.0.0/16',
      SOCKET,
    ])
    expect(load('')).toEqual([])
  })

  test.each([
    'localhost',
    '127.0.0.1:2375',
    'unix:',
    'unix:run',
    'unix://run/a',
    'unix:/run/../a',
    'unix:/',
    'unix:/run/',
    '/run/a',
  ])('refuses %s', (text) => {
    expect(() => load(text)).toThrow(/SOURCE_TARGETS/)
  })
})
