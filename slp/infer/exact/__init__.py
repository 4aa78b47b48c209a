"""infer/exact"""
