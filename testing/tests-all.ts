/** True for `npm run test:all`: both engines everywhere, all cases of property tests, all pages in all appearances. */
export const testsAll = process.env.PLAT_TEST_ALL === '1'
