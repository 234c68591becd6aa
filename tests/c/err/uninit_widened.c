// a narrow variable that was never set is widened: it has no place of its own
// expect: uninitialised-read 6 contains `small` was never set
int main(void)
{
    unsigned char small;
    return small;
}
