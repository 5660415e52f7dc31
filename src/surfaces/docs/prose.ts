/** Sentences with `code` in them as HTML. */
import { html } from 'hono/html'
import type { Html } from './schema.ts'

/** @example renderProse('send `limit`') // send <code>limit</code> */
export const renderProse = (text: string): Html =>
  html`${text.split('`').map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : part))}`
