// The author of a proposal gets a mail for the deeds of others, on a mail server of this machine.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../testing/app/app.ts'
import { type MailReceiver, startMailReceiver } from '../../testing/mail-receiver.ts'

let to: MailReceiver
let app: TestApp
let author: TestCaller
let other: TestCaller
beforeAll(async () => {
  to = await startMailReceiver()
  const smtp = { SMTP_URL: `smtp://127.0.0.1:${to.port}`, SMTP_FROM: 'Plat <plat@example.com>' }
  app = await testApp({ withJobs: false, env: { ...smtp, PUBLIC_URL: 'https://plat.example' } })
  author = await app.as('operator')
  other = await app.as('admin')
  await other.api.users.update({ id: author.userId, email: 'ada@example.com' })
}, 60_000)
afterAll(async () => {
  await app.close()
  await to.close()
})

const propose = (name: string) =>
  author.api.proposals.create({
    title: `a device ${name}`,
    operations: [{ operation: 'devices.create', input: { name } }],
    open: true,
  })

/** Returns the subjects of the mails that the job has sent since the last call. */
const readSubjects = async (): Promise<string[]> => {
  const before = to.received.length
  await app.plat.runJob('proposals.mail')
  return to.received.slice(before).map(({ data }) => /^Subject: (.*)$/m.exec(data)?.[1]?.trim() ?? '')
}

test('a comment, a merge and a rejection by another user are one mail each', async () => {
  const { id, number } = await propose('one')
  await other.api.proposals.comment({ id, text: 'Why not two?' })
  await other.api.proposals.merge({ id })
  const { id: second, number: later } = await propose('two')
  await other.api.proposals.reject({ id: second, text: 'No' })
  const subjects = await readSubjects()
  expect(subjects.map((subject) => subject.replace(/ by .*/, ''))).toEqual([
    `[Plat] Proposal ${number} has a comment`,
    `[Plat] Proposal ${number} was merged`,
    `[Plat] Proposal ${later} was rejected`,
  ])
  expect(to.received.map((mail) => mail.to)).toEqual([['ada@example.com'], ['ada@example.com'], ['ada@example.com']])
  expect(to.received[0]?.data).toContain(`https://plat.example/proposals/${number}`)
  expect(await readSubjects()).toEqual([])
})

test('what the author does, approvals, and a merge that fails are no mail', async () => {
  const { id } = await propose('three')
  await author.api.proposals.comment({ id, text: 'Please' })
  await other.api.proposals.approve({ id })
  await expect(other.api.proposals.merge({ id, fingerprint: 'another' })).rejects.toMatchObject({ status: 412 })
  await author.api.proposals.close({ id })
  expect(await readSubjects()).toEqual([])
})

test('an author without an address, and a mail server that refuses, hinder nothing', async () => {
  const { id } = await propose('four')
  to.answer('refuse')
  await other.api.proposals.comment({ id, text: 'x' })
  expect(await readSubjects()).toEqual([])
  to.answer('take')
  await other.api.users.update({ id: author.userId, email: '' })
  await other.api.proposals.merge({ id })
  expect(await readSubjects()).toEqual([])
})
