int other()
{
    return 17;
}
