/** Starts moto: an AWS of this machine that checks signatures and policies. It ends as the servers of servers.ts do. */
import { existsSync } from 'node:fs'
import { motoServerPath } from '../../scripts/python-tools.mjs'
import { readXmlTree, type XmlNode } from '../../src/net/xml/xml-tree.ts'
import { type Keys, signRequest } from '../../src/sources/kinds/aws/sign.ts'
import { freePort, launch, missing, read } from '../servers/servers.ts'

const VERSIONS = { ec2: '2016-11-15', iam: '2010-05-08' } as const
const NO_KEYS: Keys = { accessKeyId: 'none', secretAccessKey: 'none', sessionToken: '' }

export type Action = {
  readonly service?: keyof typeof VERSIONS
  readonly region?: string
  readonly action: string
  readonly given?: Readonly<Record<string, string>>
}

/** Returns the texts of the elements of a name, in order. */
const listTexts = (node: XmlNode, name: string): string[] =>
  node.name === name ? [node.text] : node.children.flatMap((child) => listTexts(child, name))

export const startMoto = async () => {
  if (!existsSync(motoServerPath)) missing('moto')
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const { stop } = await launch({
    isOwn: true,
    stopSignal: 'KILL',
    // The first key is made without one, by three requests.
    serve: () => ['env', 'INITIAL_NO_AUTH_ACTION_COUNT=3', motoServerPath, '-H', '127.0.0.1', '-p', `${port}`],
    isReady: (dir) => read(`${dir}/log`).includes('Running on'),
  })

  const call = async ({ service = 'ec2', region = 'eu-central-1', action, given = {} }: Action, keys: Keys) => {
    // It computes the signature of the text that Python would have sent.
    const form = new URLSearchParams({ Action: action, Version: VERSIONS[service], ...given })
    const body = form.toString().replaceAll('*', '%2A')
    const signed = {
      url: new URL(`${url}/`),
      headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
      ...{ body, service, region, date: new Date() },
    }
    const answer = await fetch(signed.url, { method: 'POST', headers: signRequest(signed, keys), body })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${action}: ${answer.status} ${text}`)
    const root = readXmlTree(text)
    return { text: (name: string) => listTexts(root, name)[0] ?? '', texts: (name: string) => listTexts(root, name) }
  }

  /** Creates a user with these rights. @returns its keys */
  const createUser = async (name: string, actions: readonly string[], by: Keys): Promise<Keys> => {
    const PolicyDocument = JSON.stringify({
      Version: '2012-10-17',
      Statement: [{ Effect: 'Allow', Action: actions, Resource: '*' }],
    })
    const UserName = name
    await call({ service: 'iam', action: 'CreateUser', given: { UserName } }, by)
    await call({ service: 'iam', action: 'PutUserPolicy', given: { UserName, PolicyName: 'of', PolicyDocument } }, by)
    const made = await call({ service: 'iam', action: 'CreateAccessKey', given: { UserName } }, by)
    return { accessKeyId: made.text('AccessKeyId'), secretAccessKey: made.text('SecretAccessKey'), sessionToken: '' }
  }

  try {
    const admin = await createUser('admin', ['*'], NO_KEYS)
    return {
      url,
      stop,
      admin,
      call: (action: Action) => call(action, admin),
      createUser: (name: string, actions: readonly string[]) => createUser(name, actions, admin),
    }
  } catch (error) {
    await stop()
    throw error
  }
}
export type Moto = Awaited<ReturnType<typeof startMoto>>
