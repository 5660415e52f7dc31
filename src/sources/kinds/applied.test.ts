/** A server applies the recorded answers of each kind: the first run makes the objects, and the next ones change nothing. */
import { describe, expect, test } from 'bun:test'
import { takeOneIn } from '../../../testing/cases.ts'
import { Sourced } from '../../../testing/sources/sourced.ts'
import { isFetched, isPushed, listAllCases } from '../fetch/testing/cases.ts'
import { canServe, listLists, serveAnswers } from '../fetch/testing/serve.ts'

/** A busy machine starts a process slowly. */
const TIMEOUT_MS = 180_000

const cases = listAllCases()
const fetched = cases.filter(isFetched).flatMap((one) => (canServe(one.content) ? [[one.title, one] as const] : []))
const pushed = cases.filter(isPushed).map((one) => [one.title, one] as const)

describe.each(fetched)('%s', (_, { kind: { kind }, content }) => {
  test(
    'is applied whole, neither the same answers nor refused requests change anything later, and a deletion takes the devices and spaces back',
    async () => {
      const plat = await Sourced.start()
      const { url, state, stop } = serveAnswers(content)
      const { options, secrets } = content
      const { id } = await plat.create({ kind, url, options, secrets })
      expect(await plat.run(id)).toMatchObject({ status: 'completed', error_code: '', message: '' })
      expect(await plat.listOpen(id)).toEqual([])
      expect(await plat.run(id)).toMatchObject({ status: 'completed', result: 'unchanged' })
      state.isRefusing = true
      expect(await plat.run(id)).toMatchObject({ status: 'failed', error_code: 'forbidden' })
      expect(await plat.listOpen(id)).toEqual([])
      await stop()
      expect((await plat.send(`DELETE /api/sources/${id}?objects=delete`)).status).toBe(204)
      expect((await plat.send('GET /api/devices')).body).toEqual([])
      expect((await plat.send('GET /api/spaces')).body).toEqual([])
      await plat.close()
    },
    TIMEOUT_MS,
  )
})

describe.each(fetched)('%s', (_, { kind: { kind, maybeEmpty = [] }, content }) => {
  // Containers and services of Kubernetes may all go.
  const lists = maybeEmpty.some((type) => type !== 'space') ? [] : takeOneIn(4, listLists(content))
  test.skipIf(lists.length === 0)(
    'an empty list where there was one changes no device and no network',
    async () => {
      const plat = await Sourced.start()
      const { url, state, stop } = serveAnswers(content)
      const { options, secrets } = content
      const { id } = await plat.create({ kind, url, options, secrets })
      expect(await plat.run(id)).toMatchObject({ status: 'completed' })
      const list = async () => [(await plat.send('GET /api/devices')).body, (await plat.send('GET /api/networks')).body]
      const before = await list()
      for (const number of lists) {
        state.emptyAt = number
        const { status, message } = await plat.run(id)
        expect([number, await list()]).toEqual([number, before])
        if (status === 'failed') expect(message.length).toBeGreaterThan(20)
        state.emptyAt = undefined
        expect(await plat.run(id)).toMatchObject({ status: 'completed' })
        expect(await plat.listOpen(id)).toEqual([])
      }
      await stop()
      await plat.close()
    },
    TIMEOUT_MS,
  )
})

describe.each(pushed)('%s, pushed', (_, { kind: { kind }, content }) => {
  test(
    'is applied whole, and the same snapshot changes nothing later',
    async () => {
      const plat = await Sourced.start()
      const { options, snapshot } = content
      const { id } = await plat.create({ kind, options })
      expect(await plat.push(id, { kind, snapshot })).toMatchObject({ status: 'completed', result: 'applied' })
      expect(await plat.listOpen(id)).toEqual([])
      expect(await plat.push(id, { kind, snapshot })).toMatchObject({ status: 'completed', result: 'unchanged' })
      await plat.close()
    },
    TIMEOUT_MS,
  )
})
