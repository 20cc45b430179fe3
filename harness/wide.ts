// Whether tests go through every combination (`npm run proof -- browser`) or, as `npm test` does, through each value of each
// dimension once.
export const isWide = process.env.CARTWRIGHT_TEST_WIDE === '1'
