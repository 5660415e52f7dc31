/** VMware vCenter and ESXi: hosts and virtual machines, by the web services of vSphere. */
import { z } from 'zod'
import { getXmlText, type XmlNode } from '../../../net/xml/xml-tree.ts'
import { FetchError } from '../../fetch/fetch-error.ts'
import type { FetchMeans, Json, SourceKind } from '../source-kind.ts'
import { addObject, PROPERTIES } from './properties.ts'
import type { Snapshot } from './snapshot.ts'
import { escapeXml, formatReference, NEEDS, type Reference, readReference, SoapClient } from './soap.ts'

/** A page of machines with all their devices has 5 to 10 MB. */
const PAGE_OBJECTS = 500
const LOGOUT_MS = 10_000

const SERVICE: Reference = { type: 'ServiceInstance', id: 'ServiceInstance' }
const CONTENT = ['about', 'propertyCollector', 'rootFolder', 'sessionManager', 'viewManager']

type Session = {
  readonly client: SoapClient
  readonly product: string
  readonly content: ReadonlyMap<string, XmlNode>
}

/** Signs in, and signs out at the end, whatever happens: vCenter keeps few sessions. */
const withSession = async <T>(means: FetchMeans, use: (session: Session) => Promise<T>): Promise<T> => {
  const client = new SoapClient(means)
  const content = new Map<string, XmlNode>()
  for await (const node of client.call({ method: 'RetrieveServiceContent', target: SERVICE, picks: CONTENT }))
    content.set(node.name, node)
  const product = getXmlText(content.get('about'), 'fullName')
  means.product(product)
  const manager = readReference(content.get('sessionManager'))
  const { username = '', password = '' } = means.secrets
  const given = `<userName>${escapeXml(username)}</userName><password>${escapeXml(password)}</password>`
  await run(client.call({ method: 'Login', target: manager, given }))
  /** Nothing that was read depends on it: a session that stays ends by itself. */
  const leave = async (): Promise<void> => {
    try {
      await run(client.call({ method: 'Logout', target: manager, timeoutMs: LOGOUT_MS }))
    } catch (error) {
      if (!(error instanceof FetchError)) throw error
      means.warn(`Logout failed, and vCenter ends the session later: ${error.message}`)
    }
  }
  const result = await use({ client, product, content }).catch(async (error: unknown) => {
    // The first error is the one to tell.
    await leave().catch(() => {})
    throw error
  })
  await leave()
  return result
}

const run = async (call: AsyncGenerator<XmlNode>): Promise<void> => {
  for await (const _ of call);
}

/** Creates a view of all objects that are read. */
const createView = async ({ client, content }: Session): Promise<Reference> => {
  const types = Object.keys(PROPERTIES).map((type) => `<type>${type}</type>`)
  const root = formatReference('container', readReference(content.get('rootFolder')))
  const call = client.call({
    method: 'CreateContainerView',
    target: readReference(content.get('viewManager')),
    given: `${root}${types.join('')}<recursive>true</recursive>`,
    isResult: true,
  })
  for await (const node of call) return readReference(node)
  throw new FetchError('bad_answer', 'CreateContainerView: the answer has no view')
}

const buildFilter = (view: Reference): string => {
  const properties = Object.entries(PROPERTIES).map(([type, paths]) => {
    const texts = paths.map((path) => `<pathSet>${path}</pathSet>`)
    return `<propSet><type>${type}</type><all>false</all>${texts.join('')}</propSet>`
  })
  return (
    `<specSet>${properties.join('')}<objectSet>${formatReference('obj', view)}<skip>true</skip>` +
    '<selectSet xsi:type="TraversalSpec"><name>view</name><type>ContainerView</type><path>view</path><skip>false</skip>' +
    `</selectSet></objectSet></specSet><options><maxObjects>${PAGE_OBJECTS}</maxObjects></options>`
  )
}

/** Reads the pages, each of which is reduced before the next one is asked for. */
const readObjects = async (session: Session, snapshot: Snapshot): Promise<void> => {
  const target = readReference(session.content.get('propertyCollector'))
  const picks = ['objects', 'token']
  let method = 'RetrievePropertiesEx'
  let given = buildFilter(await createView(session))
  for (let token = ''; ; ) {
    const before = token
    token = ''
    for await (const node of session.client.call({ method, target, given, picks }))
      if (node.name === 'token') token = node.text
      else addObject(snapshot, node, method)
    if (token === '') return
    if (token === before) throw new FetchError('bad_answer', `${method}: the token of a page is its own`)
    method = 'ContinueRetrievePropertiesEx'
    given = `<token>${escapeXml(token)}</token>`
  }
}

const fetchVcenter = (means: FetchMeans): Promise<Json> =>
  withSession(means, async (session) => {
    const snapshot: Snapshot = { product: session.product, containers: [], hosts: [], vms: [] }
    await readObjects(session, snapshot)
    means.log(`${snapshot.hosts.length} hosts, ${snapshot.vms.length} virtual machines`)
    return snapshot
  })

export const vcenter: SourceKind = {
  kind: 'vcenter',
  title: 'VMware vCenter',
  description: 'Hosts and virtual machines of a vCenter or of one ESXi host',
  needs: NEEDS,
  hasGlobalIds: true,
  secrets: [
    { name: 'username', description: 'Such as `plat@vsphere.local`', required: true },
    { name: 'password', description: 'Its password', required: true },
  ],
  options: [],
  Options: z.object({}),
  types: ['host', 'vm'],
  whenGone: 'decommission',
  goneAfterHours: 24,
  fetch: fetchVcenter,
  test: (means) => withSession(means, async () => {}),
  convert: async (...given) => (await import('./convert.ts')).convertVcenter(...given),
}
