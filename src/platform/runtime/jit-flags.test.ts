/** The process that `plat serve` becomes: the same process id, with the flags of the engine in its environment. */
import { expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { type ServerFolder, serverFolder } from '../../testing/server-child.ts'
import { SERVER_JIT_FLAGS } from './jit-flags.ts'

const settingsOf = async (folder: ServerFolder, env: Readonly<Record<string, string>>): Promise<string | undefined> => {
  const server = await folder.start({ env })
  const environment = await readFile(`/proc/${server.pid}/environ`, 'utf8')
  await server.stop()
  return environment
    .split('\0')
    .filter((line) => line.startsWith('BUN_JSC_'))
    .join()
}

test('the server does without the heaviest compiler, in the process that was started', async () => {
  const folder = await serverFolder()
  const [[name, value] = []] = Object.entries(SERVER_JIT_FLAGS)
  expect(await settingsOf(folder, {})).toBe(`${name}=${value}`)
  await folder.remove()
})

test('and with it where the environment asks for it', async () => {
  const folder = await serverFolder()
  expect(await settingsOf(folder, { BUN_JSC_useFTLJIT: 'true' })).toBe('BUN_JSC_useFTLJIT=true')
  await folder.remove()
})
