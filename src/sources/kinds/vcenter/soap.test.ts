/** Calls of SOAP: the cookie of the session, escaped arguments, pages, and faults with the codes of runs. */
import { expect, test } from 'bun:test'
import { FetchError } from '../../fetch/fetch-error.ts'
import type { AskOptions, FetchMeans } from '../source-kind.ts'
import { vcenter } from './kind.ts'

const wrap = (body: string): string =>
  `<?xml version="1.0"?><soapenv:Envelope xmlns:soapenv="s" xmlns:xsi="x"><soapenv:Body>${body}</soapenv:Body></soapenv:Envelope>`
const answer = (method: string, result: string): string =>
  wrap(`<${method}Response xmlns="urn:vim25"><returnval>${result}</returnval></${method}Response>`)
const fault = (detail: string, text = 'Words of it.'): string =>
  wrap(
    `<soapenv:Fault><faultcode>ServerFaultCode</faultcode><faultstring>${text}</faultstring><detail>${detail}</detail></soapenv:Fault>`,
  )

const ANSWERS: Readonly<Record<string, string>> = {
  RetrieveServiceContent: answer(
    'RetrieveServiceContent',
    '<rootFolder type="Folder">group-d1</rootFolder><propertyCollector type="PropertyCollector">pc</propertyCollector><viewManager type="ViewManager">vm</viewManager><about><fullName>VMware vCenter Server 8.0.3</fullName></about><sessionManager type="SessionManager">sm</sessionManager>',
  ),
  Login: answer('Login', '<key>1</key>'),
  CreateContainerView: wrap(
    '<CreateContainerViewResponse><returnval type="ContainerView">session[1]v-1</returnval></CreateContainerViewResponse>',
  ),
  RetrievePropertiesEx: answer('RetrievePropertiesEx', ''),
  Logout: wrap('<LogoutResponse/>'),
}

const COOKIES: [string, string][] = [
  ['set-cookie', 'route=2; Path=/'],
  ['set-cookie', 'vmware_soap_session="a=c"; Path=/; HttpOnly'],
]

/** A vCenter with these answers in the place of the usual ones. A fault has the status 500. */
const createMeans = (answers: Readonly<Record<string, string>> = {}) => {
  const sent: { method: string; body: string; cookie: string | undefined; timeoutMs: number | undefined }[] = []
  const warnings: string[] = []
  const send = async (_: string, { headers, body, timeoutMs }: AskOptions = {}) => {
    const text = `${body}`
    const method = /<soapenv:Body><(\w+) /.exec(text)?.[1] ?? ''
    sent.push({ method, body: text, cookie: headers?.cookie, timeoutMs })
    const reply = answers[method] ?? ANSWERS[method] ?? ''
    return {
      status: reply.includes('Fault>') ? 500 : 200,
      headers: new Headers(method === 'Login' ? COOKIES : []),
      body: new TextEncoder().encode(reply),
    }
  }
  const means: FetchMeans = {
    ask: Object.assign(send, {
      json: async () => null as never,
      optionalJson: async () => undefined,
      at: () => means.ask,
    }),
    ...{ url: 'https://vcenter', options: {}, secrets: { username: 'a<b', password: 'c&d>"e' } },
    ...{ now: new Date(0), log: () => {}, warn: (text) => warnings.push(text), product: () => {} },
  }
  const findError = async (): Promise<FetchError | undefined> => {
    try {
      await vcenter.fetch(means)
      return undefined
    } catch (error) {
      if (error instanceof FetchError) return error
      throw error
    }
  }
  return { means, sent, warnings, findError, listMethods: () => sent.map(({ method }) => method) }
}

test('the secrets are escaped, and the cookies go with each later call', async () => {
  const { means, sent } = createMeans()
  await vcenter.fetch(means)
  expect(sent[1]?.body).toContain('<userName>a&lt;b</userName><password>c&amp;d&gt;"e</password>')
  expect(sent.map(({ cookie }) => cookie)).toEqual([
    undefined,
    undefined,
    ...Array<string>(3).fill('route=2; vmware_soap_session="a=c"'),
  ])
})

test.each([
  ['<InvalidLoginFault xmlns="urn:vim25" xsi:type="InvalidLogin"/>', 'unauthorized'],
  ['<PasswordExpiredFault xmlns="urn:vim25" xsi:type="PasswordExpired"/>', 'unauthorized'],
  [
    '<NoPermissionFault xmlns="urn:vim25" xsi:type="NoPermission"><privilegeId>System.View</privilegeId></NoPermissionFault>',
    'forbidden',
  ],
  ['<NoPermissionFault xmlns="urn:vim25"/>', 'forbidden'],
  ['<InvalidRequestFault xmlns="urn:vim25" xsi:type="InvalidRequest"/>', 'bad_answer'],
  ['', 'bad_answer'],
])('the fault %s ends the run as %s', async (detail, code) => {
  const error = await createMeans({ CreateContainerView: fault(detail) }).findError()
  expect(error?.code).toBe(code as FetchError['code'])
  expect(error?.message).toStartWith('CreateContainerView: ')
  expect(error?.message).toContain('Words of it')
})

test('a failed fetch signs out, and its own error comes first', async () => {
  const broken = { RetrievePropertiesEx: fault(''), Logout: fault('') }
  const { findError, listMethods } = createMeans(broken)
  expect((await findError())?.message).toStartWith('RetrievePropertiesEx: ')
  expect(listMethods().at(-1)).toBe('Logout')
})

test.each([
  ['a fault', fault('<NotAuthenticatedFault/>')],
  ['half of itself', '<Envelope><Body>'],
])('a logout that answers %s is a warning, and the fetch has all that was read', async (_, reply) => {
  const { means, warnings } = createMeans({ Logout: reply })
  expect(await vcenter.fetch(means)).toMatchObject({ product: 'VMware vCenter Server 8.0.3' })
  expect(warnings).toEqual([expect.stringMatching(/^Logout failed, and vCenter ends the session later: Logout: /)])
})

test('only the logout has its own limit, so that a system that hangs there does not use up the time of the fetch', async () => {
  const { means, sent } = createMeans()
  await vcenter.fetch(means)
  const limits = sent.map(({ method, timeoutMs }) => [method, timeoutMs])
  expect(limits.filter(([, timeoutMs]) => timeoutMs !== undefined)).toEqual([['Logout', 10_000]])
})

test('a login that fails is not repeated, and there is nothing to sign out of', async () => {
  const { findError, listMethods } = createMeans({ Login: fault('<InvalidLoginFault/>') })
  expect((await findError())?.code).toBe('unauthorized')
  expect(listMethods()).toEqual(['RetrieveServiceContent', 'Login'])
})

test('a page that names itself as the next one ends the fetch', async () => {
  const again = '<token>0</token>'
  const { findError, listMethods } = createMeans({
    RetrievePropertiesEx: answer('RetrievePropertiesEx', again),
    ContinueRetrievePropertiesEx: answer('ContinueRetrievePropertiesEx', again),
  })
  expect((await findError())?.code).toBe('bad_answer')
  expect(listMethods().filter((method) => method === 'ContinueRetrievePropertiesEx')).toHaveLength(1)
})

test.each([
  ['<html><body>Login</body></html>', 'wrong_url'],
  [answer('RetrieveServiceContent', '<about/>'), 'wrong_url'],
  [wrap(''), 'bad_answer'],
  ['{}', 'bad_answer'],
  ['<!DOCTYPE a [<!ENTITY b "c">]><Envelope/>', 'bad_answer'],
])('the answer %s is %s', async (reply, code) => {
  const error = await createMeans({ RetrieveServiceContent: reply }).findError()
  expect(error?.code).toBe(code as FetchError['code'])
})
