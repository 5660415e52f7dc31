/** Calls the web services of vCenter and ESXi: SOAP with the cookie of a session. Faults have the codes of runs. */
import { findElement, getXmlText, type XmlNode } from '../../../net/xml/xml-tree.ts'
import { FetchError } from '../../fetch/fetch-error.ts'
import type { RunErrorCode } from '../../schema.ts'
import type { FetchMeans } from '../source-kind.ts'
import { readAnswer } from '../xml-answer.ts'

export const NEEDS = 'the role Read-only on the vCenter, with propagation to children'

/** The oldest version that is still in use: newer systems know it too. */
const VERSION = 'urn:vim25/6.0'
const MAX_MESSAGE = 300

const FAULTS: Readonly<Record<string, RunErrorCode>> = {
  InvalidLogin: 'unauthorized',
  NotAuthenticated: 'unauthorized',
  PasswordExpired: 'unauthorized',
  NoPermission: 'forbidden',
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

export const escapeXml = (text: string): string => text.replace(/[&<>]/g, (character) => ENTITIES[character] ?? '')

/** An object of vCenter: its type and its id there. */
export type Reference = { readonly type: string; readonly id: string }

export const formatReference = (element: string, { type, id }: Reference): string =>
  `<${element} type="${escapeXml(type)}">${escapeXml(id)}</${element}>`

/** Returns the type of a value, by the attribute of XML Schema. */
export const getType = ({ attributes }: XmlNode): string => {
  const [, type = ''] = Object.entries(attributes).find(([name]) => /(?:^|:)type$/.test(name)) ?? []
  return type.slice(type.indexOf(':') + 1)
}

/** @throws FetchError for an element that is missing */
export const readReference = (node: XmlNode | undefined): Reference => {
  if (!node || node.text === '') throw new FetchError('wrong_url', 'RetrieveServiceContent: is no vCenter and no ESXi')
  return { type: getType(node), id: node.text }
}

export const createFaultError = (request: string, type: string, message: string): FetchError => {
  const code = (Object.hasOwn(FAULTS, type) ? FAULTS[type] : undefined) ?? 'bad_answer'
  const words = [type, message.slice(0, MAX_MESSAGE)].filter((text) => text !== '').join(': ')
  const needs = code === 'bad_answer' ? '' : `. The account needs ${NEEDS}`
  return new FetchError(code, `${request}: ${words.replace(/[:.\s]+$/, '')}${needs}`)
}

const toFaultError = (request: string, fault: XmlNode): FetchError => {
  const [detail] = findElement(fault, 'detail')?.children ?? []
  const type = detail ? getType(detail) || detail.name.replace(/Fault$/, '') : ''
  return createFaultError(request, type, getXmlText(fault, 'faultstring'))
}

type Call = {
  readonly method: string
  readonly target: Reference
  /** The arguments as XML. */
  readonly given?: string
  /** The elements of the result that are read. */
  readonly picks?: readonly string[]
  /** True if the result itself is read. */
  readonly isResult?: boolean
  readonly timeoutMs?: number
}

export class SoapClient {
  readonly #means: FetchMeans
  readonly #path: string
  readonly #cookies = new Map<string, string>()

  constructor(means: FetchMeans) {
    this.#means = means
    this.#path = means.url.endsWith('/sdk') ? means.url : '/sdk'
  }

  /** Calls a method, and yields the picked elements of its result. @throws FetchError */
  async *call(call: Call): AsyncGenerator<XmlNode> {
    const { method, target, given = '', picks = [], isResult = false, timeoutMs } = call
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const { status, headers, body } = await this.#means.ask(this.#path, {
      method: 'POST',
      headers: {
        accept: 'text/xml',
        'content-type': 'text/xml; charset=utf-8',
        soapaction: VERSION,
        ...(cookie !== '' && { cookie }),
      },
      body:
        '<?xml version="1.0" encoding="UTF-8"?>' +
        '<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" ' +
        'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><soapenv:Body>' +
        `<${method} xmlns="urn:vim25">${formatReference('_this', target)}${given}</${method}>` +
        '</soapenv:Body></soapenv:Envelope>',
      // A fault has the status 500.
      alsoAllows: [500],
      ...(timeoutMs !== undefined && { timeoutMs }),
    })
    this.#keepCookies(headers)
    let isWhole = false
    const pickResult = ([body, response, result, name, ...inner]: readonly string[]): boolean => {
      if (body !== 'Body') return false
      isWhole ||= response === `${method}Response`
      return (
        (response === 'Fault' && result === undefined) ||
        (isResult && result === 'returnval') ||
        (result === 'returnval' && name !== undefined && inner.length === 0 && picks.includes(name))
      )
    }
    for (const node of readAnswer({ body, request: method, root: 'Envelope', picks: pickResult })) {
      if (node.name === 'Fault') throw toFaultError(method, node)
      yield node
    }
    if (!isWhole) throw new FetchError('bad_answer', `${method}: the answer of status ${status} has no result`)
  }

  #keepCookies(headers: Headers): void {
    // A balancer before several vCenters has a cookie too.
    for (const cookie of headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';')
      const [name = '', ...value] = pair.split('=')
      this.#cookies.set(name.trim(), value.join('=').trim())
    }
  }
}
