/** Each way to start the server sets the flags of the engine, and starts the server's program once. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findStrace } from '../../scripts/server-binaries.mjs'
import { SERVER_JIT_FLAGS } from '../../src/base/runtime/jit-flags.ts'
import { takeOneIn, testAll } from '../../testing/cases.ts'
import { BINARY, build, ROOT, serve, tempFolder } from '../trial.ts'

setDefaultTimeout(120_000)
beforeAll(build)
const folder = tempFolder()
afterAll(folder.remove)

const PATH = process.env.PATH ?? ''
const [[NAME, VALUE]] = Object.entries(SERVER_JIT_FLAGS) as [[string, string]]
const SET = `${NAME}=${VALUE}`
const BUN = /\/bun(\.exe)?$/

/** The executions of the server's program, each as the value of the flag in its environment. */
const startsOf = async (
  command: readonly string[],
  { isServer, env = {}, verb }: { isServer: (file: string) => boolean; env?: Record<string, string>; verb?: string },
): Promise<(string | undefined)[]> => {
  const strace = findStrace()
  if (strace === undefined)
    throw new Error('This test needs strace on the PATH (package strace); "npm test" installs it where it can.')
  const id = Bun.randomUUIDv7()
  const trace = join(folder.path, id)
  // -D: the server stays our child, and strace is a grandchild.
  const server = await serve([strace, '-D', '-f', '-v', '-s', '4096', '-e', 'trace=execve', '-o', trace, ...command], {
    env: { PATH, DATA_DIR: join(folder.path, `${id}-data`), ...env },
    ...(verb !== undefined && { verb }),
  })
  await server.stop()
  // An execution by a process of several threads is logged in two parts.
  const executed = (await Bun.file(trace).text()).matchAll(
    /execve\("([^"]+)", \[(.*?)\], \[(.*)\]( <unfinished \.\.\.>|\) = 0)/g,
  )
  return [...executed].flatMap(([, file = '', args = '', environment = '']) => {
    if (!isServer(file) || !/"(serve|server)"/.test(args)) return []
    return [new RegExp(`"${NAME}=([^"]*)"`).exec(environment)?.[1]]
  })
}

const isBun = (file: string): boolean => BUN.test(file)
const isBinary = (file: string): boolean => file === BINARY
const npmStart = ['node', join(ROOT, 'scripts', 'start.mjs')]
const bunHere = [process.execPath, '--no-env-file', join(ROOT, 'src', 'main.ts')]

describe('the server is started once, with the flags, by', () => {
  test('./plat serve', async () => {
    expect(await startsOf([join(ROOT, 'plat')], { isServer: isBun })).toEqual([VALUE])
  })

  testAll('./plat server', async () => {
    expect(await startsOf([join(ROOT, 'plat')], { isServer: isBun, verb: 'server' })).toEqual([VALUE])
  })

  test('npm start', async () => {
    expect(await startsOf(npmStart, { isServer: isBun, verb: '' })).toEqual([VALUE])
  })

  testAll('an executable with an environment that has them, such as the systemd unit and the image', async () => {
    expect(await startsOf([BINARY], { isServer: isBinary, env: SERVER_JIT_FLAGS })).toEqual([VALUE])
  })
})

test.each(takeOneIn(2, ['serve', 'server']))(
  'an executable that lacks the flags starts again with them: plat %s',
  async (verb) => {
    expect(await startsOf([BINARY], { isServer: isBinary, verb })).toEqual([undefined, VALUE])
  },
)

testAll('a server of a checkout does not start again', async () => {
  expect(await startsOf(bunHere, { isServer: isBun })).toEqual([undefined])
})

testAll.each([
  ['./plat', [join(ROOT, 'plat')], isBun, 'serve'],
  ['npm start', npmStart, isBun, ''],
  ['the executable', [BINARY], isBinary, 'serve'],
] as const)('%s keeps the value of the operator', async (_, command, isServer, verb) => {
  expect(await startsOf(command, { isServer, verb, env: { [NAME]: 'true' } })).toEqual(['true'])
})

test('the systemd unit sets the flags, before the file of the operator, which may change them', () => {
  const unit = readFileSync(join(ROOT, 'packaging', 'systemd', 'plat.service'), 'utf8')
  expect(unit).toMatch(new RegExp(`^Environment=${SET}$[^]*^EnvironmentFile=`, 'm'))
})

test('the image sets the flags', () => {
  const [, image = ''] = readFileSync(join(ROOT, 'Dockerfile'), 'utf8').split(/^FROM scratch$/m)
  expect(image).toMatch(new RegExp(`^ENV (.+\\\\\\n)+ +${SET}$`, 'm'))
})
