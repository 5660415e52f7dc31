/** Types of the part of an OpenAPI 3.1 document that the generator writes and the API page reads. */

import type { JsonSchema } from '../../contract/json-schema.ts'
import type { Access } from '../../kernel/operation.ts'

export type Ref = { readonly $ref: string }

export type Parameter = {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly description?: string
  readonly allowEmptyValue?: true
  /** Each property of the schema is a parameter of its own name. */
  readonly style?: 'form'
  readonly explode?: true
  readonly schema: JsonSchema
}

export type Media = { readonly schema: JsonSchema; readonly example?: unknown }
export type Content = Readonly<Record<string, Media>>
export type Header = { readonly description: string; readonly schema: JsonSchema }

export type Response = {
  readonly description: string
  readonly headers?: Readonly<Record<string, Ref>>
  readonly content?: Content
}

export type RequestBody = { readonly required: boolean; readonly content: Content }

export type DocumentedOperation = {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly parameters?: readonly (Parameter | Ref)[]
  readonly requestBody?: RequestBody
  readonly responses: Readonly<Record<string, Response | Ref>>
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  /** The access that the operation requires. */
  readonly 'x-permission': Access
  /** The equivalent command. */
  readonly 'x-cli'?: string
  /** The equivalent MCP tool. */
  readonly 'x-mcp-tool'?: string
}

export type Components = {
  readonly schemas: Readonly<Record<string, JsonSchema>>
  readonly responses: Readonly<Record<string, Response>>
  readonly parameters: Readonly<Record<string, Parameter>>
  readonly headers: Readonly<Record<string, Header>>
  readonly securitySchemes: Readonly<Record<string, Readonly<Record<string, string>>>>
}

export type OpenApi = {
  readonly openapi: '3.1.0'
  readonly info: {
    readonly title: string
    readonly version: string
    readonly description: string
    readonly license: { readonly name: string; readonly identifier: string }
  }
  readonly servers: readonly { readonly url: string; readonly description: string }[]
  readonly tags: readonly { readonly name: string }[]
  /** Keyed by path, then by method in lower case. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>
  readonly components: Components
}
