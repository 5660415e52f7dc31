// The gate over scripted workers: they answer, fail, hang or die.
import { afterEach, expect, test } from 'bun:test'
import { createWorkerGate, type Wait, type WorkerGate, type WorkerGateOptions } from './worker-pool.ts'

type Job = 'answer' | 'fail' | 'hang' | 'throw' | 'exit'

const SCRIPT = `
  let answered = 0
  self.onmessage = ({ data }) => {
    if (data === 'answer') postMessage({ ok: true, value: ++answered })
    if (data === 'fail') postMessage({ ok: false, message: 'as told' })
    if (data === 'throw') throw new Error('as told')
    if (data === 'exit') process.exit(0)
  }
`
const url = URL.createObjectURL(new Blob([SCRIPT], { type: 'application/javascript' }))
const gates: WorkerGate<Job, number>[] = []
let spawned = 0

function openGate(options: Partial<WorkerGateOptions> = {}): WorkerGate<Job, number> {
  spawned = 0
  const spawn = () => {
    spawned++
    return new Worker(url)
  }
  const busy = () => new Error('busy')
  const gate = createWorkerGate<Job, number>({ spawn, workers: 1, queueLimit: 8, busy, ...options })
  gates.push(gate)
  return gate
}

afterEach(() => {
  for (const gate of gates.splice(0)) gate.close()
})

const from = (key: string): Wait => ({ turn: { lane: 'common', group: key, key } })

test('workers start when they are needed and are used again', async () => {
  const gate = openGate({ workers: 2 })
  expect(spawned).toBe(0)
  expect(await gate.run('answer')).toBe(1)
  expect(await gate.run('answer')).toBe(2)
  expect(spawned).toBe(1)
  expect(await Promise.all([gate.run('answer', from('a')), gate.run('answer', from('b'))])).toEqual([3, 1])
  expect(spawned).toBe(2)
})

test('waiting jobs are served in order', async () => {
  const gate = openGate()
  expect(await Promise.all(Array.from({ length: 5 }, () => gate.run('answer')))).toEqual([1, 2, 3, 4, 5])
})

test('a job that its worker refuses rejects, and the worker goes on', async () => {
  const gate = openGate()
  const [failed, next] = await Promise.allSettled([gate.run('fail'), gate.run('answer')])
  expect(failed).toMatchObject({ status: 'rejected', reason: { message: 'as told' } })
  expect(next).toEqual({ status: 'fulfilled', value: 1 })
  expect(spawned).toBe(1)
})

test('a job that waits too long rejects as busy', async () => {
  const gate = openGate()
  const hanging = gate.run('hang')
  await expect(gate.run('answer', { deadlineMs: performance.now() + 1 })).rejects.toThrow('busy')
  gate.close()
  await expect(hanging).rejects.toThrow('closed')
})

test.each<[Job, RegExp]>([
  ['throw', /^A worker failed: .*as told/s],
  ['exit', /^A worker ended before it answered$/],
])('a worker that dies (%s) rejects its job and is replaced for the waiting one', async (job, message) => {
  const gate = openGate()
  const [died, next] = await Promise.allSettled([gate.run(job), gate.run('answer')])
  expect(died).toMatchObject({ status: 'rejected', reason: { message: expect.stringMatching(message) } })
  expect(next).toEqual({ status: 'fulfilled', value: 1 })
  expect(spawned).toBe(2)
})

test('close rejects running, waiting and later jobs', async () => {
  const gate = openGate()
  const jobs = [gate.run('hang'), gate.run('answer')]
  gate.close()
  jobs.push(gate.run('answer'))
  const outcomes = await Promise.allSettled(jobs)
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
})
