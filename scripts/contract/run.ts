/**
 * Runs schemathesis against a real server on loopback: every operation with OAuth on, and the OAuth routes with OAuth off.
 * The gate sends the examples of the document; `tests/hostile/hostile.test.ts` calls every operation beside it. `npm run test:all` sends the
 * bounds of each field too, and `--thorough` many examples for each operation. Ends as `bun test` does, with the numbers of operations
 * that passed and failed.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ServerFolder, serverFolder } from '../../testing/app/server-child.ts'
import { testsAll } from '../../testing/tests-all.ts'
import { schemathesisPath } from '../python-tools.mjs'

const isThorough = process.argv.includes('--thorough')
/** Far more than a run takes: a run that hangs ends. */
const LIMIT_MS = isThorough ? 3_600_000 : 600_000
const THOROUGH = ['--phases=examples,coverage,fuzzing', '--max-examples=100', '--generation-database=none']
const QUICK = [testsAll ? '--phases=examples,coverage' : '--phases=examples', '--generation-deterministic']
const HOOKS = join(import.meta.dir, 'hooks.py')

const settings = (hasOauth: boolean) => ({
  RATE_LIMIT_ENABLED: 'false',
  LOGIN_RATE_LIMIT_REQUESTS: '1000000',
  AUDIT_ENABLED: 'true',
  ENCRYPTION_KEY: 'ab'.repeat(32),
  ...(hasOauth && { MCP_OAUTH_ENABLED: 'true', MCP_OAUTH_ISSUER_URL: 'http://127.0.0.1:1' }),
})

type Outcome = { readonly tested: number; readonly failed: number; readonly isWhole: boolean }

type Run = { readonly args: readonly string[]; readonly cwd: string; readonly ownKeyId: string }

/** Runs schemathesis with these arguments, and passes its output on. */
const schemathesis = async ({ args, cwd, ownKeyId }: Run): Promise<Outcome> => {
  const env = { ...process.env, SCHEMATHESIS_HOOKS: HOOKS, OWN_KEY_ID: ownKeyId }
  const child = Bun.spawn([schemathesisPath, ...args], {
    cwd,
    env,
    stdout: 'pipe',
    stderr: 'inherit',
    timeout: LIMIT_MS,
  })
  let output = ''
  const decoder = new TextDecoder()
  for await (const chunk of child.stdout) {
    const text = decoder.decode(chunk, { stream: true })
    output += text
    process.stdout.write(text)
  }
  const tested = Number(/^ +Tested: (\d+)/m.exec(output)?.[1] ?? 0)
  const failed = new Set(output.match(/^_+ [A-Z]+ \/\S* _+$/gm) ?? []).size
  const code = await child.exited
  return { tested, failed, isWhole: tested > 0 && (code === 0) === (failed === 0) }
}

/** Tries a server of this folder. */
const tryServer = async (folder: ServerFolder, more: readonly string[]): Promise<Outcome> => {
  const server = await folder.start({ sendsNothing: true })
  const headers = { Authorization: `Bearer ${folder.key}` }
  const document = join(folder.dir, 'openapi.json')
  writeFileSync(document, await (await fetch(`${server.url}/api/openapi.json`, { headers })).text())
  // The folder has one key.
  const [own] = (await (await fetch(`${server.url}/api/keys`, { headers })).json()) as { id: string }[]
  const outcome = await schemathesis({
    args: [
      'run',
      document,
      `--url=${server.url}`,
      `--header=Authorization: Bearer ${folder.key}`,
      // Events never end.
      '--exclude-operation-id=events.stream',
      // Its answers come from the NetBox that a call names.
      '--exclude-operation-id=estate.pull',
      // NUL is in no text: the conventions of the document say so.
      '--generation-allow-x00=false',
      '--suppress-health-check=all',
      '--continue-on-failure',
      '--request-timeout=60',
      '--warnings=off',
      '--no-color',
      '--workers=2',
      ...(isThorough ? THOROUGH : QUICK),
      ...more,
    ],
    cwd: folder.dir,
    ownKeyId: own?.id ?? '',
  })
  const stillIn = await fetch(`${server.url}/api/auth/me`, { headers })
  await server.stop()
  if (stillIn.status === 200) return outcome
  console.error('The run has ended its own API key: from there on it has tried nothing')
  return { ...outcome, isWhole: false }
}

const attempt = async (hasOauth: boolean, more: readonly string[] = []): Promise<Outcome> => {
  const folder = await serverFolder(settings(hasOauth))
  try {
    return await tryServer(folder, more)
  } finally {
    await folder.remove()
  }
}

const outcomes = [await attempt(true), await attempt(false, ['--include-tag=oauth'])]
const failed = outcomes.reduce((sum, one) => sum + one.failed, 0)
const tested = outcomes.reduce((sum, one) => sum + one.tested, 0)
console.log(` ${tested - failed} pass\n ${failed} fail`)
process.exit(failed === 0 && outcomes.every(({ isWhole }) => isWhole) ? 0 : 1)
