/** Sample code that verifies the signature of a delivery, in several languages. */
import { useState } from 'react'
import { Button } from '../ui/button.tsx'
import { CopyButton } from './json-view.tsx'
import { SNIPPETS } from './snippets.ts'
import css from './webhooks.module.css'

export const Verification = () => {
  const [language, setLanguage] = useState(SNIPPETS[0].language)
  const { code } = SNIPPETS.find((one) => one.language === language) ?? SNIPPETS[0]
  return (
    <>
      <p className={css.prose}>
        The header <code className="mono">X-Service-Signature</code> is <code className="mono">sha256=</code> and the
        HMAC-SHA256 of the body, as it was received, in hexadecimal. Compare it in constant time, before the body is
        read as JSON. The same delivery may arrive twice: its id, in <code className="mono">X-Service-Delivery</code>,
        is the same then.
      </p>
      <div className={css.codeHead}>
        <div role="toolbar" aria-label="Language" className={css.languages}>
          {SNIPPETS.map((one) => (
            <Button
              key={one.language}
              aria-pressed={one.language === language}
              className={css.language}
              onClick={() => setLanguage(one.language)}
            >
              {one.language}
            </Button>
          ))}
        </div>
        <CopyButton text={code} label={`the code in ${language}`} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard */}
      <pre className={css.code} tabIndex={0}>
        {code}
      </pre>
    </>
  )
}
