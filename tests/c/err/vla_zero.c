// a variable-length array with a dimension of zero
// expect: out-of-bounds 4 contains the array `grid` would have 0 elements
static int corner(int rows, long columns) {
    int grid[rows][columns]; // BUG
    for (int i = 0; i < rows; i++)
        for (long j = 0; j < columns; j++)
            grid[i][j] = 1;
    return rows > 0 && columns > 0 ? grid[0][0] : 0;
}

int main(void) {
    return corner(2, 3) - corner(4, 0);
}
