// Uses bcrypt at its real cost where the cost matters, and at its lowest cost for the queue.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { testAll } from '../../../testing/cases.ts'
import { createPasswords, PasswordsBusyError } from './passwords.ts'

const LOWEST_COST = 4

// A hash takes a second on an idle core, several on a busy one.
setDefaultTimeout(60_000)

describe('at the real cost', () => {
  const passwords = createPasswords({ maxWaitMs: 60_000 })
  let hash = ''
  let ticks = 0

  beforeAll(async () => {
    const timer = setInterval(() => ticks++, 10)
    hash = await passwords.hash('correct horse')
    clearInterval(timer)
  })
  afterAll(() => passwords.close())

  test('a hash is bcrypt 2b of cost 14', () => {
    expect(hash).toMatch(/^\$2b\$14\$[./A-Za-z0-9]{53}$/)
    expect(passwords.needsRehash(hash)).toBe(false)
  })

  test('the event loop goes on while a hash is computed', () => {
    // A hash of this cost takes hundreds of milliseconds. On this thread there would be no tick.
    expect(ticks).toBeGreaterThan(5)
  })

  test('the password verifies, another one does not', async () => {
    const answers = await Promise.all([
      passwords.verify('correct horse', hash),
      passwords.verify('correct mouse', hash),
    ])
    expect(answers).toEqual([true, false])
  })
})

describe('verify', () => {
  const passwords = createPasswords({ cost: LOWEST_COST, workers: 1 })
  const real = createPasswords({ workers: 1 })
  afterAll(() => {
    passwords.close()
    real.close()
  })

  test('a missing hash takes as long as one of cost 14, and is false', async () => {
    const hash = await passwords.hash('correct horse')
    const known = await elapsedMs(() => real.verify('wrong horse', hash))
    const unknown = await elapsedMs(() => real.verify('wrong horse', undefined))
    expect(unknown.answer).toBe(false)
    // Cost 14 takes a thousand times as long as cost 4. The test requires ten times, to tolerate a busy machine.
    expect(unknown.ms).toBeGreaterThan(10 * known.ms)
  })

  test('a password that shares only the first 72 bytes is wrong', async () => {
    const password = 'a'.repeat(72)
    const hash = await passwords.hash(password)
    expect(await passwords.verify(password, hash)).toBe(true)
    expect(await passwords.verify(`${password}b`, hash)).toBe(false)
  })

  testAll('an empty password is no quicker to refuse than that of an unknown user', async () => {
    const hash = await passwords.hash('correct horse')
    const wrong = await elapsedMs(() => real.verify('wrong horse', hash))
    const empty = await elapsedMs(() => real.verify('', hash))
    expect(empty.answer).toBe(false)
    expect(empty.ms).toBeGreaterThan(10 * wrong.ms)
  })

  test('a broken character does not pass for the replacement character', async () => {
    const hash = await passwords.hash('1234567\ufffd')
    expect(await passwords.verify('1234567\ud800', hash)).toBe(false)
  })

  test('a stored text that is no hash matches nothing', async () => {
    expect(await passwords.verify('correct horse', 'not a hash')).toBe(false)
  })

  test.each(['2a', '2y'])('a $%s$ hash from elsewhere verifies', async (version) => {
    const hash = (await passwords.hash('correct horse')).replace('$2b$', `$${version}$`)
    expect(await passwords.verify('correct horse', hash)).toBe(true)
  })
})

test.each([
  ['$2b$14$', false],
  ['$2a$14$', false],
  ['$2b$15$', false],
  ['$2b$13$', true],
  ['$2y$10$', true],
  ['plain text', true],
])('needsRehash(%s...) is %p', (head, expected) => {
  expect(createPasswords().needsRehash(head.padEnd(60, 'a'))).toBe(expected)
})

test.each(['short', 'a'.repeat(73), '12345678\n'])('hash refuses %j', async (password) => {
  await expect(createPasswords().hash(password)).rejects.toThrow(RangeError)
})

test('more than may run and wait are refused at once', async () => {
  const passwords = createPasswords({ workers: 1, queueLimit: 2, cost: LOWEST_COST })
  const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => passwords.hash('correct horse')))
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'rejected'])
  expect(outcomes[4]).toMatchObject({ reason: expect.any(PasswordsBusyError) })
  passwords.close()
})

test('a process that hashes ends by itself once it has its answer', async () => {
  const script = `
    import { createPasswords } from ${JSON.stringify(`${import.meta.dir}/passwords.ts`)}
    console.log((await createPasswords({ cost: ${LOWEST_COST} }).hash('correct horse')).length)
  `
  const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe', timeout: 20_000 })
  expect(await new Response(child.stdout).text()).toBe('60\n')
  expect(await child.exited).toBe(0)
})

async function elapsedMs<Answer>(work: () => Promise<Answer>): Promise<{ answer: Answer; ms: number }> {
  const start = performance.now()
  const answer = await work()
  return { answer, ms: performance.now() - start }
}
