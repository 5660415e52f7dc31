import { expect, test } from 'bun:test'
import { waitForAll } from './wait-for-all.ts'

test('work that goes on after a failure has ended when the error is thrown', async () => {
  let isOver = false
  const slow = async () => {
    await Bun.sleep(20)
    isOver = true
  }
  const failing = async () => {
    throw new Error('first')
  }
  await expect(waitForAll([failing(), undefined, slow()])).rejects.toThrow('first')
  expect(isOver).toBe(true)
})

test('of several errors the first one in the order of the work is thrown', async () => {
  const failAfter = async (ms: number, message: string) => {
    await Bun.sleep(ms)
    throw new Error(message)
  }
  await expect(waitForAll([failAfter(20, 'one'), failAfter(0, 'two')])).rejects.toThrow('one')
})
